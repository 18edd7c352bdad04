// The modules that `GET /v1/modules` lists: what this deployment offers, and why something is off.

import * as z from 'zod'

export const Module = z.object({
  name: z.string(),
  summary: z.string(),
  enabled: z.boolean(),
  reason: z.string().nullable().describe('why it is off; null when it is on'),
})
export type Module = z.infer<typeof Module>

interface ModulesDeps {
  config: { oauthPublicUrl: string | undefined }
}

/** Every module of this deployment, on or off by its configuration. */
export function listModules({ config }: ModulesDeps): Module[] {
  return [
    { name: 'keys', summary: 'API keys with exact rate limits', enabled: true, reason: null },
    { name: 'sql', summary: 'SQL over HTTP', enabled: true, reason: null },
    {
      name: 'tables',
      summary: 'REST over tables and functions, with row-level security',
      enabled: true,
      reason: null,
    },
    {
      name: 'end_users',
      summary: 'Access tokens of signed-in users beside an API key',
      enabled: config.oauthPublicUrl !== undefined,
      reason: config.oauthPublicUrl === undefined ? 'OAUTH_PUBLIC_URL is not set' : null,
    },
  ]
}
