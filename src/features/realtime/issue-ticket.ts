// Gives a session of the dashboard a ticket, by which a page opens one socket of a project: browsers send no header
// with a WebSocket, and a cookie alone is to open none.

import type { PlatformDatabase } from '../../db/database.ts'
import { DomainError } from '../../errors.ts'
import { projectNotFound } from '../api-keys/record/project-scope.ts'
import { audited } from '../audit/audited.ts'
import type { Caller } from '../audit/caller.ts'
import { parseProjectId } from '../projects/project-id.ts'
import { findProject } from '../projects/project-store.ts'
import type { RealtimeHubs } from './hub/hub-contract.ts'
import type { Ticket, TicketIn } from './schemas.ts'

interface IssueTicketDeps {
  readonly hubs: RealtimeHubs
  readonly platform: Pick<PlatformDatabase, 'query'>
  readonly config: { readonly baseUrl: string }
  readonly now: () => Date
}

/** The hub counts by its own clock, and earlier than we do. */
const LIFE_MS = 30_000

/** Good for one connection within 30 seconds, as service_role. Throws `not_found` and `project_paused`. */
export async function issueTicket(
  { hubs, platform, config, now }: IssueTicketDeps,
  caller: Caller,
  session: { readonly id: string; readonly expires_at?: string | undefined },
  { project_id }: TicketIn,
): Promise<Ticket> {
  const id = parseProjectId(project_id)
  const project = await findProject(platform, id, 'every_project')
  if (project === undefined) throw projectNotFound(id)
  if (project.status === 'paused') {
    throw new DomainError('project_paused', 'The project is paused: it has no sockets.', {
      hint: 'Resume it in the dashboard, or with PATCH /api/projects/:id.',
    })
  }
  const endsAtMs = session.expires_at === undefined ? null : Date.parse(session.expires_at)
  return await audited({ platform }, caller, { targetKind: 'project', targetId: id }, async () => {
    const expiresAt = new Date(now().getTime() + LIFE_MS)
    const ticket = await hubs.byProject(id).issueTicket({ sessionId: session.id, endsAtMs })
    const address = new URL(`${config.baseUrl.replace(/^http/, 'ws')}/realtime/v1/websocket`)
    address.search = new URLSearchParams({ ticket, project_id: id }).toString()
    return { result: { ticket, expires_at: expiresAt.toISOString(), url: address.href } }
  })
}
