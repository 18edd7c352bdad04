// Realtime: sockets, as supabase-js opens them.

import { openSocket, SocketQuery } from '../features/realtime/open-socket.ts'
import { defineRoute } from '../http/route.ts'

export const realtimeRoutes = [
  defineRoute({
    id: 'realtime.connect',
    method: 'get',
    mounts: { '/realtime/v1/websocket': 'any_key', '/v1/realtime/ws': 'any_key' },
    summary: 'Open a WebSocket: row changes, broadcast, presence',
    description:
      'Speaks Phoenix in both its versions, as supabase-js does. The key comes as the parameter `apikey`, ' +
      'or as a header.',
    query: SocketQuery,
    takesKeyInQuery: true,
    documented: { answers: { 101: { description: 'The socket is open.' } } },
    handle: ({ deps, principal, query, request, caller }) =>
      openSocket(deps, { request, query, caller }, principal),
  }),
]
