// Opens a socket of realtime: the upgrade goes on to the object of the caller's project, with who it is.

import * as z from 'zod'
import type { PlatformDatabase } from '../../db/database.ts'
import { DomainError, type ErrorCode } from '../../errors.ts'
import type { ApiKey } from '../api-keys/record/schemas.ts'
import type { Caller } from '../audit/caller.ts'
import type { EndUser } from '../oauth/end-user/access-token.ts'
import { PASS_HEADER, type RealtimeHubs, type SocketPass, type TicketHolder } from './hub/hub-contract.ts'
import { openProject } from './open-project.ts'

/** Clients send more than these, and applications what they like. */
export const SocketQuery = z.looseObject({
  vsn: z
    .enum(['1.0.0', '2.0.0'], 'must be 1.0.0 or 2.0.0')
    .default('1.0.0')
    .describe('Version of Phoenix: 1.0.0 or 2.0.0'),
  client: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must have 1 to 64 letters, digits, dots, dashes or underscores')
    .optional()
    .describe('A name for this client, so that nothing is missed when it comes back: crypto.randomUUID()'),
})
type SocketQuery = z.infer<typeof SocketQuery>

/** The ticket comes as clients of Supabase send their key. */
export const TicketSocketQuery = SocketQuery.extend({
  apikey: z.string().max(100, 'must be a ticket').describe('the ticket'),
  project_id: z.uuid().describe('the project that the ticket was made for'),
})

interface OpenSocketDeps {
  readonly hubs: RealtimeHubs
}

interface Upgrade {
  readonly request: Request
  readonly query: SocketQuery
  readonly caller: Pick<Caller, 'address' | 'requestId'>
}

/** For a key, and the person whose token came beside it. Throws `upgrade_required` and `rate_limited`. */
export async function openSocket(
  deps: OpenSocketDeps,
  upgrade: Upgrade,
  {
    key,
    keyHash,
    endUser,
  }: { key: Pick<ApiKey, 'id' | 'project_id' | 'role'>; keyHash: string; endUser: EndUser | null },
): Promise<Response> {
  return await open(deps, upgrade, key.project_id, {
    role: key.role,
    caller: key.id,
    keyHash,
    sessionId: null,
    endsAtMs: null,
    claims: endUser?.claims ?? {},
  })
}

/**
 * For a session of the dashboard, by its ticket: as service_role. Throws `session_required` where it is none,
 * `not_found` and `project_paused`.
 */
export async function openSocketByTicket(
  deps: OpenSocketDeps & { readonly platform: Pick<PlatformDatabase, 'query'> },
  upgrade: Upgrade,
  { project_id, apikey: ticket }: { project_id: string; apikey: string },
): Promise<Response> {
  refuseOthers(upgrade.request)
  const projectId = await openProject(deps.platform, project_id)
  const holder: TicketHolder | undefined = await deps.hubs.byProject(projectId).takeTicket(ticket)
  if (holder === undefined) {
    throw new DomainError('session_required', 'The ticket is none, was used before, or is older than 30 s.', {
      hint: 'Ask for another one: POST /api/realtime/ticket. Each opens one socket.',
    })
  }
  return await open(deps, upgrade, projectId, {
    role: 'service_role',
    caller: `session:${holder.sessionId}`,
    keyHash: null,
    sessionId: holder.sessionId,
    endsAtMs: holder.endsAtMs,
    claims: {},
  })
}

async function open(
  { hubs }: OpenSocketDeps,
  { request, query, caller }: Upgrade,
  projectId: string,
  who: Pick<SocketPass, 'role' | 'caller' | 'keyHash' | 'sessionId' | 'endsAtMs' | 'claims'>,
): Promise<Response> {
  refuseOthers(request)
  const { requestId, address } = caller
  const pass: SocketPass = {
    ...who,
    requestId,
    address: address ?? 'unknown',
    vsn: query.vsn,
    client: query.client ?? null,
  }
  // The address is not passed on: it holds the key. Nor are headers, but those that make a WebSocket.
  const headers = new Headers({
    upgrade: 'websocket',
    [PASS_HEADER]: encodeURIComponent(JSON.stringify(pass)),
  })
  const answer = await hubs.byProject(projectId).fetch(new Request('https://hub/', { headers }))
  if (answer.status === 101) return answer
  const { code, message, hint } = (await answer.json()) as { code: ErrorCode; message: string; hint?: string }
  throw new DomainError(code, message, { hint, retryAfterSeconds: 10 })
}

function refuseOthers(request: Request): void {
  if (request.headers.get('upgrade')?.toLowerCase() === 'websocket') return
  throw new DomainError(
    'upgrade_required',
    'This address opens a WebSocket, and the request asked for none.',
    {
      hint: 'Connect with supabase-js, or any client of Phoenix: docs/realtime.md.',
    },
  )
}
