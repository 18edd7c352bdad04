// Gives a session of the dashboard a ticket, by which a page opens one socket: browsers send no header with a
// WebSocket, and a cookie alone is to open none.

import type { PlatformDatabase } from '../../db/database.ts'
import { DomainError } from '../../errors.ts'
import { audited } from '../audit/audited.ts'
import type { Caller } from '../audit/caller.ts'
import type { RealtimeHubs } from './hub/hub-contract.ts'
import { openProject } from './open-project.ts'
import type { Ticket, TicketIn } from './schemas.ts'

interface IssueTicketDeps {
  readonly hubs: RealtimeHubs
  readonly platform: Pick<PlatformDatabase, 'query'>
  readonly now: () => Date
}

/** The hub counts by its own clock, from a moment later. */
const LIFE_MS = 30_000

/**
 * Good for one connection within 30 seconds, as service_role. Throws `not_found`, `project_paused`, and `rate_limited`
 * where a thousand tickets of the project wait to be used.
 */
export async function issueTicket(
  { hubs, platform, now }: IssueTicketDeps,
  caller: Caller,
  session: { readonly id: string; readonly expires_at?: string | undefined },
  { project_id: id }: TicketIn,
): Promise<Ticket> {
  const projectId = await openProject(platform, id)
  const endsAtMs = session.expires_at === undefined ? null : Date.parse(session.expires_at)
  return await audited({ platform }, caller, { targetKind: 'project', targetId: projectId }, async () => {
    const expires_at = new Date(now().getTime() + LIFE_MS).toISOString()
    const ticket = await hubs.byProject(projectId).issueTicket({ sessionId: session.id, endsAtMs })
    if (ticket === undefined) {
      throw new DomainError('rate_limited', 'Too many tickets of the project wait to be used.', {
        hint: 'Each is forgotten after 30 s.',
        retryAfterSeconds: 30,
      })
    }
    return { result: { ticket, expires_at }, after: { expires_at } }
  })
}
