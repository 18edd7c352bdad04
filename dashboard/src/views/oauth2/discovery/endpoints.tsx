// The addresses in the document that an application needs, in the order in which it meets them.

import type { Schema } from '../../../api/client.ts'
import { CopyText } from '../../../parts/copy-text.tsx'
import { Fact, Facts, None } from '../../../parts/facts.tsx'

const ENDPOINTS: readonly [field: string, label: string, help: string][] = [
  ['issuer', 'Issuer', 'Who signs the tokens: their iss'],
  ['authorization_endpoint', 'Authorization', 'Where a browser is sent to sign in'],
  ['token_endpoint', 'Token', 'Where codes become tokens'],
  ['userinfo_endpoint', 'Userinfo', 'Claims for an access token'],
  ['jwks_uri', 'Public keys', 'What signatures are verified with'],
  ['device_authorization_endpoint', 'Device authorization', 'Where a device asks for its code'],
  ['revocation_endpoint', 'Revocation', 'Where a client ends a token'],
  ['introspection_endpoint', 'Introspection', 'Where a client asks about a token'],
  ['end_session_endpoint', 'End session', 'Where a browser is sent to sign out'],
  ['registration_endpoint', 'Registration', 'Where applications register themselves'],
]
/** Every server has these by the standard; one that lacks them is worth a line. */
const ALWAYS = new Set([
  'authorization_endpoint',
  'token_endpoint',
  'userinfo_endpoint',
  'jwks_uri',
  'issuer',
])

export function Endpoints({ of: document }: { of: Schema<'DiscoveryDocument'> }) {
  const fields: Readonly<Record<string, unknown>> = document
  return (
    <Facts>
      {ENDPOINTS.filter(([field]) => ALWAYS.has(field) || typeof fields[field] === 'string').map(
        ([field, label, help]) => (
          <Fact key={field} label={label} help={help}>
            {typeof fields[field] === 'string' ? (
              <CopyText value={fields[field]} whole label={`Copy ${field}`} />
            ) : (
              <None>not in the document</None>
            )}
          </Fact>
        ),
      )}
    </Facts>
  )
}
