// A ticket opens one socket of a project, as service_role, within half a minute. Each connection takes a new one.

import { answerOf, api, type Schema } from '../../api/client.ts'

/** Throws `ApiError`: the project is paused or gone, or this session may not. */
export function takeTicket(projectId: string): Promise<Schema<'RealtimeTicket'>> {
  return answerOf(api.POST('/api/realtime/ticket', { body: { project_id: projectId } }))
}
