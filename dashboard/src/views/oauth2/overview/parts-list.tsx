// Where to go from here, with what for.

import { LayerCard, Link } from '@cloudflare/kumo'
import { Section } from '../../../parts/page.tsx'

const PARTS: readonly [href: string, label: string, what: string][] = [
  ['/oauth2/clients', 'Clients', 'Applications that may ask for tokens'],
  ['/oauth2/tokens', 'Tokens', 'Ask what one is good for, and end it'],
  ['/oauth2/keys', 'Signing keys', 'What tokens are signed with; rotation'],
  ['/oauth2/consent', 'Consent', 'What somebody agreed to; signing people out'],
  ['/oauth2/claims', 'Claims', 'What tokens say of a person'],
  ['/oauth2/flow-tester', 'Flow tester', 'Walk through a sign-in, request by request'],
  ['/oauth2/jwt-debugger', 'JWT debugger', 'Read a token here, in the browser alone'],
  ['/oauth2/snippets', 'Snippets', 'Code that is ready to run'],
  ['/oauth2/discovery', 'Discovery', 'Endpoints, and what the server can do'],
]

export function PartsList() {
  return (
    <Section title="All parts">
      <LayerCard className="p-0">
        <ul className="grid sm:grid-cols-2 xl:grid-cols-3">
          {PARTS.map(([href, label, what]) => (
            <li key={href} className="relative px-4 py-2.5 hover:bg-kumo-tint">
              <Link href={href} variant="plain" className="font-medium after:absolute after:inset-0">
                {label}
              </Link>
              <p className="text-kumo-subtle">{what}</p>
            </li>
          ))}
        </ul>
      </LayerCard>
    </Section>
  )
}
