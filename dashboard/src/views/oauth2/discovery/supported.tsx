// What the server says it can do, list by list.

import { Badge } from '@cloudflare/kumo'
import type { Schema } from '../../../api/client.ts'
import { Fact, Facts } from '../../../parts/facts.tsx'

const LISTS: readonly [field: string, label: string, help: string][] = [
  ['grant_types_supported', 'Grants', 'How a client gets tokens'],
  ['response_types_supported', 'Response types', 'What a sign-in may bring back'],
  ['response_modes_supported', 'Response modes', 'How it is brought back'],
  ['scopes_supported', 'Scopes', 'The server’s own; clients may have more'],
  ['claims_supported', 'Claims', 'The server’s own; the configuration adds more'],
  ['token_endpoint_auth_methods_supported', 'Client authentication', 'How a client shows who it is'],
  ['code_challenge_methods_supported', 'PKCE', 'Use S256'],
  ['id_token_signing_alg_values_supported', 'ID token algorithms', 'What ID tokens are signed with'],
  ['subject_types_supported', 'Subjects', 'pairwise: another sub for each client'],
]

export function Supported({ of: document }: { of: Schema<'DiscoveryDocument'> }) {
  const fields: Readonly<Record<string, unknown>> = document
  return (
    <Facts>
      {LISTS.map(([field, label, help]) => [label, help, fields[field]] as const)
        .filter(([, , values]) => Array.isArray(values) && values.length > 0)
        .map(([label, help, values]) => (
          <Fact key={label} label={label} help={help}>
            <ul className="flex flex-wrap gap-1.5">
              {(values as unknown[]).map(value => (
                <li key={String(value)}>
                  <Badge variant="secondary" className="font-mono font-normal wrap-anywhere">
                    {String(value)}
                  </Badge>
                </li>
              ))}
            </ul>
          </Fact>
        ))}
    </Facts>
  )
}
