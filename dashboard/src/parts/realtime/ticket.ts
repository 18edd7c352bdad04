// A ticket opens one socket of a project, as service_role, within half a minute. Each connection takes a new one.

import { answerOf, api } from '../../api/client.ts'

interface Ticket {
  ticket: string
  /** Where it opens a socket: ws or wss. */
  url: string
}
interface TicketApi {
  POST: (
    path: '/api/realtime/ticket',
    options: { body: { project_id: string } },
  ) => Promise<{ data?: Ticket; error?: unknown; response: Response }>
}

/** Throws `ApiError`: the project is paused or gone, or this session may not. */
export async function takeTicket(projectId: string): Promise<Ticket> {
  return await answerOf(
    (api as unknown as TicketApi).POST('/api/realtime/ticket', { body: { project_id: projectId } }),
  )
}
