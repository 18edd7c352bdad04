// A short tour of what is there, for the first visit. It points at the groups of the sidebar, in their order.

import { Button, LayerCard, Link } from '@cloudflare/kumo'
import {
  DatabaseIcon,
  type Icon,
  MagnifyingGlassIcon,
  ShieldCheckIcon,
  SignInIcon,
  StackIcon,
} from '@phosphor-icons/react'
import { Section } from '../../parts/page.tsx'

interface Stop {
  title: string
  icon: Icon
  text: string
  ways: readonly { href: string; label: string }[]
}

const STOPS: readonly Stop[] = [
  {
    title: 'OAuth2',
    icon: SignInIcon,
    text: 'Applications that people sign in to, their tokens and keys. Try every flow step by step.',
    ways: [
      { href: '/oauth2/clients', label: 'Clients' },
      { href: '/oauth2/flow-tester', label: 'Flow tester' },
    ],
  },
  {
    title: 'Authorization',
    icon: ShieldCheckIcon,
    text: 'Who may do what, as relations between people and things; and why somebody may.',
    ways: [
      { href: '/permissions', label: 'Permissions' },
      { href: '/permissions/who-can-access', label: 'Who can access' },
    ],
  },
  {
    title: 'Database',
    icon: DatabaseIcon,
    text: 'Rows to browse and change, SQL to write, migrations to check and run.',
    ways: [
      { href: '/database/tables', label: 'Tables' },
      { href: '/database/sql', label: 'SQL' },
    ],
  },
  {
    title: 'Platform',
    icon: StackIcon,
    text: 'Webhooks for row changes, people, API keys, and the log of who changed what.',
    ways: [
      { href: '/keys', label: 'API keys' },
      { href: '/audit-log', label: 'Audit log' },
    ],
  },
]

export function Tour({ onDone }: { onDone: () => void }) {
  return (
    <Section
      title="What is here"
      lead="Four groups in the sidebar. This tour is shown once; the menu with your name shows it again."
      actions={
        <Button variant="secondary" onClick={onDone}>
          Hide the tour
        </Button>
      }
    >
      <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
        {STOPS.map(({ title, icon: StopIcon, text, ways }) => (
          <li key={title} className="flex">
            <LayerCard className="flex flex-1 flex-col gap-1.5 p-4">
              <h3 className="flex items-center gap-2 font-semibold">
                <StopIcon size={18} aria-hidden="true" className="text-kumo-brand" />
                {title}
              </h3>
              <p className="flex-1 text-kumo-subtle">{text}</p>
              <p className="flex flex-wrap gap-x-4 gap-y-1">
                {ways.map(({ href, label }) => (
                  <Link key={href} href={href}>
                    {label}
                  </Link>
                ))}
              </p>
            </LayerCard>
          </li>
        ))}
      </ul>
      <p className="flex flex-wrap items-center gap-2 text-kumo-subtle">
        <MagnifyingGlassIcon aria-hidden="true" />
        <span>
          From anywhere, <kbd className="code-text text-xs">Ctrl K</kbd> or{' '}
          <kbd className="code-text text-xs">⌘K</kbd> finds views, records by name or id, and takes a token
          that you paste.
        </span>
      </p>
    </Section>
  )
}
