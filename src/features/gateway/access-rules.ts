// Who may call what, and what each call is held to: said of the route table itself, so that it is never another list.

import * as z from 'zod'

/** Who gets in, by the level of a mount. */
const DOORS = {
  none: { credential: 'none', role: null },
  visitor: { credential: 'none', role: null },
  public: { credential: 'none', role: null },
  session: { credential: 'session', role: null },
  admin: { credential: 'session', role: 'admin' },
  any_key: { credential: 'api_key', role: null },
  service_role: { credential: 'api_key', role: 'service_role' },
  internal: { credential: 'signature', role: 'listener' },
} as const

const levels = Object.keys(DOORS) as (keyof typeof DOORS)[]

const AccessRule = z
  .object({
    id: z.string().describe('name of the endpoint in the audit log and in this document'),
    method: z.string(),
    path: z.string().describe('each :name stands for one segment, :name{.+} for one or more'),
    level: z.enum(levels),
    credential: z
      .enum(['none', 'session', 'api_key', 'signature'])
      .describe(
        'session: of a person who may use the dashboard; signature: the listener’s, by INGEST_SECRET',
      ),
    role: z
      .enum(['admin', 'service_role', 'listener'])
      .nullable()
      .describe('null: any that the credential has'),
    rate_limit: z
      .enum(['key', 'address', 'address_consent', 'address_storage', 'none'])
      .describe(
        'whose limit counts the call: the key’s, or the client address’s under /api, for consent and for public files',
      ),
    audited: z.boolean().describe('whether a call that changes something leaves a row in the audit log'),
    body_bytes_max: z.int().nullable().describe('largest request body; null: none is read'),
    anon_body_bytes_max: z.int().nullable().describe('the same for an anon key; null: none is let in'),
    streams_body: z.boolean().describe('whether the body is passed on as it comes'),
    summary: z.string(),
  })
  .meta({ id: 'AccessRule' })
export type AccessRule = z.infer<typeof AccessRule>

export const AccessRuleList = z.object({ data: z.array(AccessRule), next_cursor: z.null() }).meta({
  id: 'AccessRuleList',
  examples: [
    {
      data: [
        {
          id: 'keys.create',
          method: 'POST',
          path: '/v1/keys',
          level: 'service_role',
          credential: 'api_key',
          role: 'service_role',
          rate_limit: 'key',
          audited: true,
          body_bytes_max: 1_048_576,
          anon_body_bytes_max: null,
          streams_body: false,
          summary: 'Create an API key',
        },
      ],
      next_cursor: null,
    },
  ],
})

export const AccessRuleQuery = z.strictObject({
  search: z
    .string()
    .max(200)
    .optional()
    .describe('words that are all in the id, the method, the path or the summary'),
  level: z.enum(levels).optional().describe('who may call: the level of the mount'),
})

/** What a rule is made of: an endpoint of the route table. */
export interface RuledEndpoint {
  path: string
  level: keyof typeof DOORS
  route: {
    id: string
    method: string
    summary: string
    unaudited?: 'no_change' | 'sign_in' | 'key_data'
    countedAs?: 'api' | 'consent'
    streamsBody?: boolean
    body?: unknown
    documented?: { request?: unknown }
  }
  bodyBytesMax: number | ((config: BoundsConfig) => number)
}

/** The variables that bodies are bounded by. */
interface BoundsConfig {
  anonBodyBytesMax: number
  storageUploadMaxBytes: number
}

/** The rule of every endpoint, in the order in which paths are tried. */
export function listAccessRules(
  { config }: { config: BoundsConfig },
  endpoints: readonly RuledEndpoint[],
  { search = '', level }: z.infer<typeof AccessRuleQuery>,
): z.infer<typeof AccessRuleList> {
  const words = search.toLowerCase().split(/\s+/)
  const rules = endpoints
    .map(endpoint => accessRule(endpoint, config))
    .filter(rule => level === undefined || rule.level === level)
    .filter(({ id, method, path, summary }) => {
      const text = `${id} ${method} ${path} ${summary}`.toLowerCase()
      return words.every(word => text.includes(word))
    })
  return { data: rules, next_cursor: null }
}

function accessRule(endpoint: RuledEndpoint, config: BoundsConfig): AccessRule {
  const { path, level, route } = endpoint
  const bodyBytesMax =
    typeof endpoint.bodyBytesMax === 'number' ? endpoint.bodyBytesMax : endpoint.bodyBytesMax(config)
  const streamsBody = route.streamsBody === true
  const readsBody = route.body !== undefined || route.documented?.request !== undefined || streamsBody
  const heldMax = streamsBody ? bodyBytesMax : Math.min(bodyBytesMax, config.anonBodyBytesMax)
  return {
    id: route.id,
    method: route.method.toUpperCase(),
    path,
    level,
    ...DOORS[level],
    rate_limit: rateLimitOf(level, route.countedAs),
    audited: isAudited({ level, route }),
    body_bytes_max: readsBody ? bodyBytesMax : null,
    anon_body_bytes_max: readsBody && level === 'any_key' ? heldMax : null,
    streams_body: streamsBody,
    summary: route.summary,
  }
}

function rateLimitOf(
  level: RuledEndpoint['level'],
  countedAs: RuledEndpoint['route']['countedAs'],
): AccessRule['rate_limit'] {
  if (level === 'none' || level === 'internal') return 'none'
  if (DOORS[level].credential === 'api_key') return 'key'
  if (level === 'public') return 'address_storage'
  return countedAs === 'consent' ? 'address_consent' : 'address'
}

/** Whether a call leaves a row: changes do, but for what the route says, and what an API key writes as its own. */
export function isAudited({ level, route }: Pick<RuledEndpoint, 'level' | 'route'>): boolean {
  if (route.method === 'get' || route.method === 'options' || level === 'internal') return false
  if (route.unaudited === 'key_data') return DOORS[level].credential === 'session'
  return route.unaudited === undefined
}
