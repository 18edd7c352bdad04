// Who is signed in to the dashboard.

import { describeSession, SessionView } from '../features/sessions/describe-session.ts'
import { defineRoute } from '../http/route.ts'

export const sessionRoutes = [
  defineRoute({
    id: 'sessions.read',
    method: 'get',
    mounts: { '/api/session': 'session' },
    summary: 'Who is signed in, and what this session may do',
    description: 'At most ten seconds old.',
    response: SessionView,
    handle: async ({ principal }) => describeSession(principal),
  }),
]
