// Who gets a ticket and what opens with it; and what is said of realtime where a part is silent.

import { afterEach, expect, it, vi } from 'vitest'
import type { ProjectScope } from '../../../src/features/api-keys/record/project-scope.ts'
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
import { RealtimeState } from '../../../src/features/realtime/realtime-state.ts'

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
    now: () => new Date('2029-01-01T00:00:00Z'),
  }
  const session = { id: 's', expires_at: '2029-01-02T00:00:00Z' }
  expect(await issueTicket(deps, CALLER, session, { project_id: PROJECT })).toEqual({
    ticket: 'the ticket',
    expires_at: '2029-01-01T00:00:30.000Z',
  })
  expect(issue).toHaveBeenCalledWith({ sessionId: 's', endsAtMs: Date.parse(session.expires_at) })
})

it('gives none where too many wait to be used', async () => {
  const deps = {
    hubs: hubsOf({ issueTicket: async () => undefined }),
    platform: databaseOf({ id: PROJECT, status: 'active' }),
    now: () => new Date(),
  }
  const asking = issueTicket(deps, CALLER, { id: 's' }, { project_id: PROJECT })
  await expect(asking).rejects.toMatchObject({ code: 'rate_limited' })
})

it('gives none for a project that is paused', async () => {
  const issue = vi.fn(async () => 'the ticket')
  const deps = {
    hubs: hubsOf({ issueTicket: issue }),
    platform: databaseOf({ id: PROJECT, status: 'paused' }),
    now: () => new Date(),
  }
  const asking = issueTicket(deps, CALLER, { id: 's' }, { project_id: PROJECT })
  await expect(asking).rejects.toMatchObject({ code: 'project_paused' })
  expect(issue).not.toHaveBeenCalled()
})

const upgrade = {
  request: new Request('https://api.test/', { headers: { upgrade: 'websocket', [PASS_HEADER]: 'forged' } }),
  query: { vsn: '1.0.0' as const },
  caller: { address: null, requestId: 'r' },
}

it('opens a socket by ticket as service_role, with a pass that no client writes', async () => {
  const passes: unknown[] = []
  const hub = {
    takeTicket: async (ticket: string) => (ticket === 'good' ? { sessionId: 's', endsAtMs: 7 } : undefined),
    fetch: async ({ headers }: Request) => {
      passes.push(JSON.parse(decodeURIComponent(headers.get(PASS_HEADER) ?? '')))
      return { status: 101 } as Response
    },
  }
  const deps = { hubs: hubsOf(hub), platform: databaseOf({ status: 'active' }) }
  await openSocketByTicket(deps, upgrade, { apikey: 'good', project_id: PROJECT })
  expect(passes).toMatchObject([
    { role: 'service_role', caller: 'session:s', keyHash: null, sessionId: 's', endsAtMs: 7 },
  ])
  const bad = openSocketByTicket(deps, upgrade, { apikey: 'bad', project_id: PROJECT })
  await expect(bad).rejects.toMatchObject({ code: 'session_required' })
})

it('asks no hub of a project that does not exist, or is paused: asking would make it', async () => {
  const takeTicket = vi.fn()
  for (const [rows, code] of [
    [[], 'not_found'],
    [[{ status: 'paused' }], 'project_paused'],
  ] as const) {
    const platform = { query: async <Row>() => [...rows] as Row[] }
    const opening = openSocketByTicket({ hubs: hubsOf({ takeTicket }), platform }, upgrade, {
      apikey: 'good',
      project_id: PROJECT,
    })
    await expect(opening).rejects.toMatchObject({ code })
  }
  expect(takeTicket).not.toHaveBeenCalled()
})

const HUB_STATE: HubState = {
  connections: 2,
  channels: 3,
  topics: [{ topic: 'a', isPrivate: true, members: 2, present: 1 }],
  subscriptions: [{ tableId: 42, subscribers: 2, classes: 1 }],
  position: 10,
  isTelling: false,
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

const OTHER = '00000000-0000-4000-8000-000000000002'

function read(
  hub: (id: string) => Promise<HubState>,
  log: () => Promise<LogState>,
  { scope = { only: PROJECT }, secret = 's' }: { scope?: ProjectScope; secret?: string | undefined } = {},
) {
  const deps = {
    hubs: { byProject: (id: string) => ({ state: () => hub(id) }) as RealtimeHub },
    realtimeLog: () => ({ state: log }) as RealtimeLog,
    platform: databaseOf({ id: '42', table_schema: 'public', table_name: 'notes' }),
    config: {
      ingestSecret: secret === '' ? [] : [secret],
      realtimeSocketsPerKey: 1,
      realtimeSocketsPerAddress: 2,
      realtimeChannelsPerSocket: 3,
      realtimeMessagesPerSecond: 4,
      realtimeMessageBytesMax: 5,
      realtimeDeliveriesPerSecond: 6,
    },
  }
  return readRealtime(deps, scope, undefined)
}
const hubWell = async () => HUB_STATE
const logWell = async () => LOG_STATE
const gone = () => Promise.reject(new Error('gone'))

it('says what the hub and the log say, tables by name', async () => {
  const state = await read(hubWell, logWell)
  expect(RealtimeState.strict().parse(state)).toEqual(state)
  expect(state).toMatchObject({
    status: 'ok',
    problems: [],
    connections: 2,
    statements_per_change: 1,
    topics: [{ topic: 'a', private: true }],
    subscriptions: [{ table_schema: 'public', table_name: 'notes', subscribers: 2, classes: 1 }],
    log: { head: 10, oldest_after: 1 },
    limits: { sockets_per_key: 1 },
  })
})

it('says that changes wait while they are being told, and not where they concern nobody', async () => {
  const log = async () => ({ ...LOG_STATE, head: 5_000 })
  const behind = await read(async () => ({ ...HUB_STATE, isTelling: true }), log)
  expect(behind).toMatchObject({ status: 'behind', projects: [{ project_id: PROJECT, status: 'behind' }] })
  expect(behind.problems).toHaveLength(1)
  expect((await read(hubWell, log)).status).toBe('ok')
})

it('invents nothing of a part that is silent', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const silent = await read(gone, logWell)
  expect(silent).toMatchObject({ status: 'unavailable', connections: null, counts: null, log: { head: 10 } })
  expect(silent.problems).toHaveLength(1)
  expect(await read(hubWell, gone)).toMatchObject({ status: 'unavailable', log: null, connections: 2 })
  expect(await read(hubWell, logWell, { secret: '' })).toMatchObject({
    status: 'unavailable',
    problems: [expect.stringContaining('INGEST_SECRET')],
  })
})

it('adds up the projects that follow something, fifty at most, and says which is silent', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const names = [PROJECT, OTHER, ...Array.from({ length: 50 }, (_, i) => `p${i}`)]
  const log = async () => ({ ...LOG_STATE, hubs: names.map(name => ({ name, tableIds: [42] })) })
  const state = await read(id => (id === OTHER ? gone() : hubWell()), log, { scope: 'every_project' })
  expect(state).toMatchObject({ status: 'unavailable', projects_left_out: 2, connections: 2 * 49 })
  expect(state.projects[1]).toMatchObject({ project_id: OTHER, status: 'unavailable', connections: null })
  const unknown = await read(hubWell, gone, { scope: 'every_project' })
  expect(unknown).toMatchObject({ projects: [], projects_left_out: null, log: null })
})

it('shows a key no other project', async () => {
  const deps = { platform: databaseOf({}) } as unknown as Parameters<typeof readRealtime>[0]
  await expect(readRealtime(deps, { only: PROJECT }, OTHER)).rejects.toMatchObject({ code: 'not_found' })
})
