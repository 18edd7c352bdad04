// Who gets a ticket and what opens with it; and what is said of realtime where a part is silent.

import { afterEach, expect, it, vi } from 'vitest'
import type { Caller } from '../../../src/features/audit/caller.ts'
import {
  type HubState,
  PASS_HEADER,
  type RealtimeHub,
} from '../../../src/features/realtime/hub/hub-contract.ts'
import { issueTicket } from '../../../src/features/realtime/issue-ticket.ts'
import type { LogState, RealtimeLog } from '../../../src/features/realtime/log/log-contract.ts'
import { openSocketByTicket } from '../../../src/features/realtime/open-socket.ts'
import { readRealtime } from '../../../src/features/realtime/read-realtime.ts'

const PROJECT = '00000000-0000-4000-8000-000000000001'
const CALLER: Caller = {
  actor: { kind: 'session', id: 'ada', name: null },
  action: 'realtime.issue_ticket',
  requestId: 'r',
  address: null,
}
afterEach(() => void vi.restoreAllMocks())

function hubsOf(hub: Partial<RealtimeHub>) {
  return { byProject: () => hub as RealtimeHub }
}

/** Answers each statement with this row. */
const databaseOf = (row: object) => ({ query: async <Row>() => [row] as Row[] })

it('gives a session a ticket, which holds no longer than the session', async () => {
  const issue = vi.fn(async () => 'the ticket')
  const deps = {
    hubs: hubsOf({ issueTicket: issue }),
    platform: databaseOf({ id: PROJECT, status: 'active' }),
    config: { baseUrl: 'https://api.test' },
    now: () => new Date('2029-01-01T00:00:00Z'),
  }
  const session = { id: 's', expires_at: '2029-01-02T00:00:00Z' }
  expect(await issueTicket(deps, CALLER, session, { project_id: PROJECT })).toEqual({
    ticket: 'the ticket',
    expires_at: '2029-01-01T00:00:30.000Z',
    url: `wss://api.test/realtime/v1/websocket?ticket=the+ticket&project_id=${PROJECT}`,
  })
  expect(issue).toHaveBeenCalledWith({ sessionId: 's', endsAtMs: Date.parse(session.expires_at) })
})

it('gives none for a project that is paused', async () => {
  const issue = vi.fn(async () => 'the ticket')
  const deps = {
    hubs: hubsOf({ issueTicket: issue }),
    platform: databaseOf({ id: PROJECT, status: 'paused' }),
    config: { baseUrl: 'https://api.test' },
    now: () => new Date(),
  }
  const asking = issueTicket(deps, CALLER, { id: 's' }, { project_id: PROJECT })
  await expect(asking).rejects.toMatchObject({ code: 'project_paused' })
  expect(issue).not.toHaveBeenCalled()
})

const upgrade = (query: object) => ({
  request: new Request('https://api.test/', { headers: { upgrade: 'websocket', [PASS_HEADER]: 'forged' } }),
  query: { vsn: '1.0.0' as const, ...query },
  caller: { address: null, requestId: 'r' },
})

it('opens a socket by ticket as service_role, with a pass that no client writes', async () => {
  const passes: unknown[] = []
  const hub = {
    takeTicket: async (ticket: string) => (ticket === 'good' ? { sessionId: 's', endsAtMs: 7 } : undefined),
    fetch: async ({ headers }: Request) => {
      passes.push(JSON.parse(decodeURIComponent(headers.get(PASS_HEADER) ?? '')))
      return { status: 101 } as Response
    },
  }
  const deps = { hubs: hubsOf(hub) }
  await openSocketByTicket(deps, upgrade({ ticket: 'good', project_id: PROJECT }))
  expect(passes).toMatchObject([
    { role: 'service_role', caller: 'session:s', keyHash: null, sessionId: 's', endsAtMs: 7 },
  ])
  const refused = { code: 'session_required' }
  for (const query of [{ ticket: 'bad', project_id: PROJECT }, { ticket: 'good' }, { project_id: PROJECT }])
    await expect(openSocketByTicket(deps, upgrade(query))).rejects.toMatchObject(refused)
})

const HUB_STATE: HubState = {
  connections: 2,
  channels: 3,
  topics: [{ topic: 'a', isPrivate: true, members: 2, present: 1 }],
  subscriptions: [{ tableId: 42, subscribers: 2, classes: 1 }],
  position: 10,
  counts: { changes: 1, statements: 1, deliveries: 1, messages: 1, refetches: 0 },
}
const LOG_STATE: LogState = {
  head: 10,
  oldestAfter: 1,
  oldestOccurredAt: null,
  entries: 9,
  bytes: 100,
  hubs: [],
  changesPerSecond: [0],
}

function read(hub: () => Promise<HubState>, log: () => Promise<LogState>) {
  const deps = {
    hubs: hubsOf({ state: hub }),
    realtimeLog: () => ({ state: log }) as RealtimeLog,
    platform: databaseOf({ id: '42', table_schema: 'public', table_name: 'notes' }),
    config: {
      realtimeSocketsPerKey: 1,
      realtimeSocketsPerAddress: 2,
      realtimeChannelsPerSocket: 3,
      realtimeMessagesPerSecond: 4,
      realtimeMessageBytesMax: 5,
      realtimeDeliveriesPerSecond: 6,
    },
  }
  return readRealtime(deps, { only: PROJECT }, undefined)
}

it('says what the hub and the log say, tables by name', async () => {
  const state = await read(
    async () => HUB_STATE,
    async () => LOG_STATE,
  )
  expect(state).toMatchObject({
    status: 'ok',
    problems: [],
    connections: 2,
    topics: [{ topic: 'a', private: true }],
    subscriptions: [{ table_schema: 'public', table_name: 'notes', subscribers: 2, classes: 1 }],
    log: { head: 10, oldest_after: 1 },
    limits: { sockets_per_key: 1 },
  })
})

it('says that changes wait, and which part is silent', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const behind = await read(
    async () => HUB_STATE,
    async () => ({ ...LOG_STATE, head: 5_000 }),
  )
  expect(behind.status).toBe('behind')
  const silent = await read(
    () => Promise.reject(new Error('gone')),
    async () => LOG_STATE,
  )
  expect(silent).toMatchObject({ status: 'unavailable', connections: null, log: { head: 10 } })
  expect(silent.problems).toHaveLength(1)
})

it('shows a key no other project', async () => {
  const deps = { platform: databaseOf({}) } as unknown as Parameters<typeof readRealtime>[0]
  const other = '00000000-0000-4000-8000-000000000002'
  await expect(readRealtime(deps, { only: PROJECT }, other)).rejects.toMatchObject({ code: 'not_found' })
})
