// The API key record as callers see it, and what they may send. The secret itself is in no record (design section 3.1).

import * as z from 'zod'

export const ApiKeyRole = z.enum(['anon', 'service_role'])
export type ApiKeyRole = z.infer<typeof ApiKeyRole>

export const ApiKey = z.object({
  id: z.uuid(),
  project_id: z.uuid(),
  name: z.string(),
  role: ApiKeyRole,
  prefix: z.string().describe('svc_pk_ for anon, svc_sk_ for service_role'),
  last_four: z.string().describe('last four characters of the key, to recognise it by'),
  rate_limit_per_minute: z.int().nullable().describe('null: the default of the deployment'),
  created_at: z.iso.datetime({ offset: true }),
  expires_at: z.iso.datetime({ offset: true }).nullable(),
  last_used_at: z.iso.datetime({ offset: true }).nullable().describe('to the minute'),
  revoked_at: z.iso.datetime({ offset: true }).nullable(),
})
export type ApiKey = z.infer<typeof ApiKey>
