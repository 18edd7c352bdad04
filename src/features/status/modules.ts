// The modules that `GET /v1/modules` lists: what this deployment offers, and why something is off.

import * as z from 'zod'

export const Module = z
  .object({
    name: z.string(),
    summary: z.string(),
    enabled: z.boolean(),
    reason: z.string().nullable().describe('why it is off; null when it is on'),
  })
  .meta({ id: 'Module', examples: [{ name: 'sql', summary: 'SQL over HTTP', enabled: true, reason: null }] })
export type Module = z.infer<typeof Module>

export const ModuleList = z
  .object({ data: z.array(Module), next_cursor: z.null() })
  .meta({ id: 'ModuleList' })

interface ModulesDeps {
  config: {
    oauthPublicUrl: string | undefined
    oauthAdminUrl: string | undefined
    identityPublicUrl: string | undefined
    identityAdminUrl: string | undefined
    permissionReadUrl: string | undefined
    permissionWriteUrl: string | undefined
    ingestSecret: readonly string[]
  }
}

/** Every module of this deployment, on or off by its configuration. */
export function listModules({ config }: ModulesDeps): Module[] {
  const oauthPublic = { OAUTH_PUBLIC_URL: config.oauthPublicUrl }
  const oauth = { ...oauthPublic, OAUTH_ADMIN_URL: config.oauthAdminUrl }
  const sessions = { IDENTITY_PUBLIC_URL: config.identityPublicUrl }
  return [
    module('keys', 'API keys with exact rate limits'),
    module('sql', 'SQL over HTTP'),
    module('tables', 'REST over tables and functions, with row-level security'),
    module('end_users', 'Access tokens of signed-in users beside an API key', oauthPublic),
    module('dashboard_sessions', 'Sessions of the identity provider for /api', sessions),
    module('oauth', 'Administration of the OAuth2 server', oauth),
    module('bridge', 'Login, consent, device and logout pages of the OAuth2 server', {
      ...oauth,
      ...sessions,
    }),
    module('identities', 'Views of the identities', { IDENTITY_ADMIN_URL: config.identityAdminUrl }),
    module('permissions', 'Relation tuples, checks, and who can access what', {
      PERMISSION_READ_URL: config.permissionReadUrl,
      PERMISSION_WRITE_URL: config.permissionWriteUrl,
    }),
    module('webhooks', 'Row changes, signed and sent to URLs', { INGEST_SECRET: config.ingestSecret[0] }),
    module('storage', 'Files beside tables, with the same keys and policies'),
    module('realtime', 'Row changes, broadcast and presence over WebSockets', {
      INGEST_SECRET: config.ingestSecret[0],
    }),
    module('audit', 'Who changed what'),
  ]
}

/** On when every variable that it needs is set; else the reason names those that are not. */
function module(name: string, summary: string, needs: Record<string, string | undefined> = {}): Module {
  const missing = Object.keys(needs).filter(variable => needs[variable] === undefined)
  const verb = missing.length === 1 ? 'is' : 'are'
  const reason = missing.length === 0 ? null : `${missing.join(' and ')} ${verb} not set`
  return { name, summary, enabled: reason === null, reason }
}
