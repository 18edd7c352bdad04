// A key in the address of a WebSocket: it is in no line of the log, in no count, and does not go on to the hub.

import { expect, it, vi } from 'vitest'
import type { Deps } from '../../../src/deps.ts'
import { createApp } from '../../../src/http/app.ts'
import { realtimeRoutes } from '../../../src/routes/realtime.ts'
import { ANY_KEY } from '../api-keys/limit/window-oracle.ts'

const KEY = 'svc_pk_0123456789abcdefghijklmnopqrstuvwxyz'

it.each([
  // Node makes no such answer.
  ['opens', async () => Object.defineProperty(new Response(), 'status', { value: 101 }), 101],
  ['is refused', async () => Response.json({ code: 'rate_limited', message: 'full' }, { status: 429 }), 429],
  ['fails', () => Promise.reject(new Error('the hub is gone')), 500],
])('where the socket %s', async (_, answer, status) => {
  const written: unknown[] = []
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const)
    vi.spyOn(console, level).mockImplementation((...line) => void written.push(line))
  const rateLimit = { limit: 100, remaining: 99, resetSeconds: 60 }
  const deps = {
    config: {},
    now: () => new Date(),
    identifyKey: async () => 'the hash',
    keyGate: {
      isKnown: () => true,
      admit: async () => ({ outcome: 'admitted', key: ANY_KEY, rateLimit }),
    },
    hubs: {
      byProject: () => ({
        fetch: (request: Request) => {
          written.push(request.url, [...request.headers])
          return answer()
        },
      }),
    },
  } as unknown as Deps
  const app = createApp(
    realtimeRoutes,
    () => deps,
    (_env, request) => void written.push(request),
  )
  const context = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} }
  const path = `/realtime/v1/websocket?apikey=${KEY}&vsn=2.0.0`
  const response = await app.request(path, { headers: { upgrade: 'websocket' } }, {}, context)
  expect(response.status).toBe(status)
  expect(written.length).toBeGreaterThan(2)
  expect(JSON.stringify(written)).not.toContain(KEY)
  vi.restoreAllMocks()
})
