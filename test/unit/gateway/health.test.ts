// What is wrong with a part, and what it makes of the whole. That parts hang, and who shares an answer:
// test/worker/gateway-health.test.ts.

import { expect, it, vi } from 'vitest'
import type { Upstream, UpstreamName } from '../../../src/clients/http.ts'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import { makeGatewayHealth, readGatewayHealth } from '../../../src/features/gateway/health.ts'
import { Declarations } from '../../../src/features/permissions/declarations.ts'

vi.spyOn(console, 'error').mockImplementation(() => {})

const FOLLOWED = { oldest_waiting_seconds: null, listener_connected: true, recording_failures: [] }
const off = (name: UpstreamName): Upstream => ({ name, variable: 'X', baseUrl: undefined, fetch })
const now = () => new Date()

interface Given {
  facts?: object | (() => never)
  gateway?: () => Response
  queue?: () => Promise<unknown>
  head?: () => Promise<null>
}

async function healthWith({
  facts = FOLLOWED,
  gateway = () => new Response('', { status: 405 }),
  queue = async () => ({}),
  head = async () => null,
}: Given) {
  const sqlGateway: Upstream = {
    name: 'sql_gateway',
    variable: 'SQL_GATEWAY_URL',
    baseUrl: 'http://gateway',
    fetch: async () => gateway(),
  }
  const { status, parts } = await readGatewayHealth({
    gatewayHealth: makeGatewayHealth(now),
    platform: {
      query: async () => [{ row_changes: typeof facts === 'function' ? facts() : facts }] as never[],
    },
    data: { batch: async () => [] },
    rowChanges: { metrics: queue },
    blobs: { head },
    config: { dbSchemas: ['public'], dataUserRole: undefined, ingestSecret: ['a secret'] },
    permissionFile: { text: '', declarations: new Declarations({ namespaces: [] }) },
    upstreams: {
      sqlGateway,
      oauthPublic: off('oauth_server'),
      oauthAdmin: off('oauth_server'),
      identityPublic: off('identity_provider'),
      identityAdmin: off('identity_provider'),
      permissionRead: off('permission_server'),
      permissionWrite: off('permission_server'),
    },
    now,
  })
  const told = parts.filter(({ reason }) => reason !== null)
  return { status, told: told.map(({ name, state, reason }) => [name, state, reason]) }
}

const unreadable = () => {
  throw new PostgresError({ code: '42P01', message: 'relation "quoin.x" does not exist' })
}

it.each<[string, Given, string, unknown[]]>([
  ['all parts well', {}, 'ok', []],
  // The gateway's address leads to some page: no statement gets through.
  [
    'a needed part that is somebody else',
    { gateway: () => new Response('<html>') },
    'unavailable',
    [['sql_gateway', 'misconfigured', expect.stringContaining('SQL_GATEWAY_URL')]],
  ],
  [
    'a proxy that finds no gateway behind it',
    { gateway: () => new Response('', { status: 502 }) },
    'unavailable',
    [['sql_gateway', 'down', expect.stringContaining('does not answer')]],
  ],
  [
    'a queue that fails',
    { queue: () => Promise.reject(new Error('internal')) },
    'degraded',
    [['queue', 'down', expect.not.stringContaining('internal')]],
  ],
  [
    'a store of files that fails',
    { head: () => Promise.reject(new Error('internal')) },
    'degraded',
    [['storage', 'down', expect.not.stringContaining('internal')]],
  ],
  // Decision 11.
  [
    'no listener, while no change waits',
    { facts: { ...FOLLOWED, listener_connected: false } },
    'ok',
    [['listener', 'off', 'No listener is connected.']],
  ],
  [
    'no listener, while changes wait',
    { facts: { ...FOLLOWED, listener_connected: false, oldest_waiting_seconds: 61 } },
    'degraded',
    [
      ['listener', 'down', expect.stringContaining('start it')],
      ['row_changes', 'down', expect.stringContaining('61 s')],
    ],
  ],
  // Calls with a key succeed all the same: Postgres answers.
  [
    'tables of another version',
    { facts: unreadable },
    'degraded',
    [['database', 'up', expect.stringContaining('npm run migrate')]],
  ],
])('%s', async (_what, given, status, told) => {
  expect(await healthWith(given)).toEqual({ status, told })
})
