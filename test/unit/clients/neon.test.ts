// What Neon's API, and whatever may stand in front of it, can answer. The shapes are those of its published OpenAPI
// (v2: listProjectBranches, listSnapshots), whose examples these are.

import { describe, expect, it } from 'vitest'
import type { Upstream } from '../../../src/clients/http.ts'
import { listNeonBranches, listNeonSnapshots } from '../../../src/clients/neon.ts'
import { chooseProvider } from '../../../src/features/backups/choose-provider.ts'
import { BackupList, BranchList } from '../../../src/features/backups/schemas.ts'

const PROJECT = 'spring-example-302709'

const MAIN = {
  id: 'br-aged-salad-637688',
  project_id: PROJECT,
  name: 'main',
  current_state: 'ready',
  state_changed_at: '2022-11-30T20:09:48Z',
  logical_size: 28_000_000,
  creation_source: 'console',
  primary: true,
  default: true,
  protected: false,
  cpu_used_sec: 1_505,
  compute_time_seconds: 100,
  active_time_seconds: 100,
  written_data_bytes: 100,
  data_transfer_bytes: 100,
  created_at: '2022-11-30T18:25:15Z',
  updated_at: '2022-11-30T18:25:15Z',
  init_source: 'parent-data',
}
const TRIAL = {
  ...MAIN,
  id: 'br-wispy-meadow-118737',
  name: 'dev2',
  parent_id: MAIN.id,
  parent_lsn: '0/1DE2850',
  current_state: 'init',
  pending_state: 'ready',
  default: false,
  logical_size: undefined,
  created_at: '2022-11-30T19:09:48+01:00',
  expires_at: '2022-12-09T18:02:16Z',
}
const SNAPSHOT = {
  id: 'snap-late-snowflake-123456',
  name: 'before the upgrade',
  lsn: '0/1DE2850',
  source_branch_id: MAIN.id,
  created_at: '2025-06-09T18:02:16Z',
  manual: true,
  full_size: 28_000_000,
}

function neonThat(
  respond: (url: URL, request: RequestInit | undefined) => Response | Promise<Response>,
): Upstream {
  return {
    name: 'neon',
    baseUrl: 'http://neon.test/api/v2',
    variable: 'NEON_PROJECT_ID',
    token: 'napi_secret',
    fetch: async (input, init) => respond(new URL(String(input)), init),
  }
}

const unasked = {
  query: () => Promise.reject(new Error('the database is not asked where Neon keeps the backups')),
}

function providerOf(neon: Upstream) {
  return chooseProvider({ platform: unasked, upstreams: { neon }, config: { neonProjectId: PROJECT } })
}

describe('branches', () => {
  it('are read page by page, with the key, and shown in the words of ours', async () => {
    const asked: string[] = []
    const pages = [
      {
        branches: Array.from({ length: 1_000 }, (_, i) => ({ ...TRIAL, id: `br-${i}` })),
        pagination: { next: 'abc' },
      },
      {
        branches: [MAIN],
        annotations: {},
        pagination: { next: 'further', sort_by: 'updated_at', sort_order: 'DESC' },
      },
    ]
    const neon = neonThat((url, request) => {
      asked.push(`${url.pathname}${url.search} ${new Headers(request?.headers).get('authorization')}`)
      return Response.json(pages[asked.length - 1])
    })
    const data = await providerOf(neon).listBranches()
    expect(asked).toEqual([
      `/api/v2/projects/${PROJECT}/branches?limit=1000 Bearer napi_secret`,
      `/api/v2/projects/${PROJECT}/branches?limit=1000&cursor=abc Bearer napi_secret`,
    ])
    expect(BranchList.parse({ data, next_cursor: null, provider: 'neon' }).data).toHaveLength(1_001)
    expect(data.slice(0, 2)).toEqual([
      {
        id: MAIN.id,
        name: 'main',
        parent_id: null,
        state: 'ready',
        is_current: true,
        created_at: '2022-11-30T18:25:15.000Z',
        size_bytes: 28_000_000,
        expires_at: null,
      },
      {
        id: 'br-0',
        name: 'dev2',
        parent_id: MAIN.id,
        state: 'creating',
        is_current: false,
        created_at: '2022-11-30T18:09:48.000Z',
        size_bytes: null,
        expires_at: '2022-12-09T18:02:16.000Z',
      },
    ])
  })
})

describe('snapshots', () => {
  it('are backups that nobody has proved', async () => {
    const older = {
      ...SNAPSHOT,
      id: 'snap-old',
      created_at: '2025-06-08T18:02:16Z',
      full_size: undefined,
      lsn: undefined,
    }
    const data = await providerOf(
      neonThat(() => Response.json({ snapshots: [older, SNAPSHOT] })),
    ).listBackups()
    expect(BackupList.parse({ data, next_cursor: null, provider: 'neon' }).data.map(it => it.id)).toEqual([
      SNAPSHOT.id,
      'snap-old',
    ])
    expect(data[0]).toEqual({
      id: SNAPSHOT.id,
      name: 'before the upgrade',
      status: 'completed',
      started_at: '2025-06-09T18:02:16.000Z',
      finished_at: '2025-06-09T18:02:16.000Z',
      size_bytes: 28_000_000,
      location: MAIN.id,
      lsn: '0/1DE2850',
      verified_at: null,
      expires_at: null,
      error: null,
    })
  })
})

/** Neon's error bodies have a request id, a code and a message. */
const refusal = (status: number, code: string) =>
  Response.json({ request_id: 'a', code, message: 'x' }, { status })

const ODD: [string, () => Response | Promise<Response>, string][] = [
  ['a key that is not taken', () => refusal(401, ''), 'upstream_misconfigured'],
  ['a key without the right', () => refusal(403, 'FORBIDDEN'), 'upstream_misconfigured'],
  ['a project that is not there', () => refusal(404, 'NOT_FOUND'), 'upstream_misconfigured'],
  ['too many requests', () => refusal(429, 'TOO_MANY_REQUESTS'), 'upstream_unavailable'],
  ['a failure of its own', () => refusal(500, ''), 'upstream_unavailable'],
  ['a gateway that gave up', () => new Response('<html>', { status: 504 }), 'upstream_unavailable'],
  ['no answer', () => Promise.reject(new TypeError('fetch failed')), 'upstream_unavailable'],
  [
    'a slow answer',
    () => Promise.reject(new DOMException('The operation timed out', 'TimeoutError')),
    'upstream_unavailable',
  ],
  ['a page in place of JSON', () => new Response('<html>hello</html>'), 'upstream_invalid_answer'],
  [
    'JSON of another form',
    () => Response.json({ branches: [{}], snapshots: [{}] }),
    'upstream_invalid_answer',
  ],
  [
    'times that are none',
    () =>
      Response.json({
        branches: [{ ...MAIN, created_at: 'x' }],
        snapshots: [{ ...SNAPSHOT, created_at: 'x' }],
      }),
    'upstream_invalid_answer',
  ],
  ['an answer without end', () => new Response(' '.repeat(9 * 1024 * 1024)), 'upstream_answer_too_large'],
]

it('lists the other branches where one has a state that is new, or null for what is not there', async () => {
  const odd = {
    ...MAIN,
    id: 'br-odd',
    default: false,
    current_state: 'odd',
    parent_id: null,
    expires_at: null,
  }
  const neon = neonThat(() => Response.json({ branches: [MAIN, odd], pagination: null }))
  const data = await providerOf(neon).listBranches()
  expect(data.map(({ state, parent_id }) => [state, parent_id])).toEqual([
    ['ready', null],
    ['unknown', null],
  ])
})

it.each(ODD)('answers %s with an error of the upstream', async (_, respond, code) => {
  await expect(listNeonBranches(neonThat(respond), PROJECT)).rejects.toMatchObject({ code })
  await expect(listNeonSnapshots(neonThat(respond), PROJECT)).rejects.toMatchObject({ code })
})

it('is asked only where both its key and its project are known', () => {
  const neon = neonThat(() => Response.json({}))
  const chosen = (token: string | undefined, neonProjectId: string | undefined) =>
    chooseProvider({ platform: unasked, upstreams: { neon: { ...neon, token } }, config: { neonProjectId } })
      .name
  expect([chosen('k', PROJECT), chosen(undefined, PROJECT), chosen('k', undefined)]).toEqual([
    'neon',
    'postgres',
    'postgres',
  ])
})
