// A ticket opens one socket of a project, as service_role, within half a minute. Each connection takes a new one.

import { answerOf, api } from '../../api/client.ts'

/** Throws `ApiError`: the project is paused or gone, or this session may not. */
export async function takeTicket(projectId: string): Promise<string> {
  const { ticket } = await answerOf(api.POST('/api/realtime/ticket', { body: { project_id: projectId } }))
  return ticket
}
