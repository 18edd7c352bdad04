// The five first steps on an empty installation, each with what it is good for. They are ticked off by what the server
// has, whoever did it and from wherever; when all are done, nothing of this is shown.

import { LayerCard, Link } from '@cloudflare/kumo'
import { CheckCircleIcon, CircleIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../api/session.ts'
import { Section } from '../../parts/page.tsx'
import type { StepName } from './steps.ts'
import { stepsQuery } from './steps-query.ts'

interface Step {
  name: StepName
  title: string
  good: string
  way: { href: string; label: string }
}

const STEPS: readonly Step[] = [
  {
    name: 'table',
    title: 'Make a table of your own',
    good: 'Its rows are served at /v1/db at once, and row-level security decides who sees which.',
    way: { href: '/database/migrations', label: 'Open migrations' },
  },
  {
    name: 'key',
    title: 'Call the API with a key',
    good: 'An anon key is safe in a browser; service_role, on a server, sees every row.',
    way: { href: '/keys?create=true', label: 'Create a key' },
  },
  {
    name: 'client',
    title: 'Register an application',
    good: 'People sign in to it with OpenID Connect, and you see what each token may do.',
    way: { href: '/oauth2/clients?create=true', label: 'Create a client' },
  },
  {
    name: 'permission',
    title: 'Write a permission',
    good: 'Who may see and change what is one question to ask, instead of conditions all over your code.',
    way: { href: '/permissions', label: 'Open permissions' },
  },
  {
    name: 'webhook',
    title: 'Send row changes to a server',
    good: 'A search index or a mail goes out when a row changes, signed, and tried again until it arrives.',
    way: { href: '/webhooks?create=true', label: 'Create a webhook' },
  },
]

export function FirstSteps() {
  const { is_admin: isAdmin } = useSession()
  // Nothing to say where something cannot be read: what is wrong stands elsewhere on the page.
  const { data: done } = useQuery(stepsQuery(isAdmin))
  if (done === undefined) return null
  const steps = STEPS.filter(({ name }) => done[name] !== undefined)
  const count = steps.filter(({ name }) => done[name]).length
  if (count === steps.length) return null
  return (
    <Section
      title="First steps"
      lead={`${count} of ${steps.length} done. Each is ticked off wherever it is done.`}
    >
      <LayerCard className="p-0">
        <ol className="divide-y divide-kumo-hairline">
          {steps.map(({ name, title, good, way }) => (
            <li key={name} className="flex flex-wrap items-start gap-x-3 gap-y-1 px-4 py-2.5">
              {done[name] ? (
                <CheckCircleIcon
                  weight="fill"
                  className="mt-0.5 size-4 shrink-0 text-kumo-success"
                  aria-label="Done"
                  role="img"
                />
              ) : (
                <CircleIcon
                  className="mt-0.5 size-4 shrink-0 text-kumo-subtle"
                  aria-label="Not done yet"
                  role="img"
                />
              )}
              <span className="min-w-0 flex-1 basis-60">
                <span className={done[name] ? 'text-kumo-subtle' : 'font-medium'}>{title}</span>
                {!done[name] && <span className="block text-kumo-subtle">{good}</span>}
              </span>
              {!done[name] && <Link href={way.href}>{way.label}</Link>}
            </li>
          ))}
        </ol>
      </LayerCard>
    </Section>
  )
}
