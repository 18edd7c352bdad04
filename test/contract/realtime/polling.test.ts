// A subscriber sees what polling would show: whatever policies, filter and writes, the rows that it keeps from the
// events are those that /v1/db answers it, at every quiet moment. Over the whole way,
// from the trigger to the socket.

import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { newBrowser, registerClient, tokensFor } from '../../support/applications.ts'
import { makeKey } from '../../support/keys.ts'
import { connectOwner, type TestClient } from '../../support/postgres.ts'
import { callDb, freshPrefix } from '../data-api/caller.ts'

const NOTES = `${freshPrefix()}_notes`
const FOLDERS = `${NOTES}_folders`
const MEMBERS = `${NOTES}_members`
/** Ids are few, so that writes meet. */
const IDS = 6

interface Person {
  readonly name: string
  readonly apikey: string
  readonly token: string | null
  readonly client: SupabaseClient
}

let owner: TestClient
const people: Person[] = []
/** Whose rows are whose. */
const subjects = ['somebody else']

beforeAll(async () => {
  owner = await connectOwner()
  await owner.query(`
    create table ${FOLDERS} (id int primary key);
    create table ${MEMBERS} (team int, member text);
    create table ${NOTES} (id int primary key, owner text, team int, n numeric, note text,
      folder int references ${FOLDERS} on delete cascade on update cascade);
    grant select on ${NOTES}, ${MEMBERS}, ${FOLDERS} to anon, service_role`)
  const roomy = { rateLimitPerMinute: 1_000_000 }
  const [anon, service] = await Promise.all([makeKey('anon', roomy), makeKey('service_role', roomy)])
  const application = await registerClient()
  for (const name of ['nobody', 'service', 'ada', 'bob']) {
    const isPerson = name === 'ada' || name === 'bob'
    const browser = isPerson ? await newBrowser() : undefined
    const tokens = browser && (await tokensFor({ client: application, browser, scope: 'openid' }))
    if (browser) subjects.push(browser.person.id)
    const apikey = name === 'service' ? service.key : anon.key
    const token = tokens?.access_token ?? null
    const options = token === null ? {} : { accessToken: async () => token }
    people.push({ name, apikey, token, client: createClient(inject('stack').base_url, apikey, options) })
  }
  await owner.query(`insert into ${MEMBERS} values (1, $1), (2, $2), (2, $1)`, subjects.slice(1))
})

afterAll(async () => {
  await Promise.all(people.map(({ client }) => client.removeAllChannels()))
  await owner?.query(`drop table if exists ${NOTES}, ${MEMBERS}, ${FOLDERS}`)
  await owner?.end()
})

/** Four kinds: own rows, by claim, by sub-select, none; permissive and restrictive. */
const POLICIES: Readonly<Record<string, string>> = {
  own: `create policy a on ${NOTES} using (owner = quoin.uid())`,
  claim: `create policy a on ${NOTES} using (quoin.claims() ->> 'client_id' is not null and n > 2)`,
  member: `create policy a on ${NOTES} using (
    exists (select from ${MEMBERS} m where m.team = ${NOTES}.team and m.member = quoin.uid()))`,
  mixed: `create policy a on ${NOTES} using (owner = quoin.uid()); create policy b on ${NOTES} using (n > 3);
    create policy c on ${NOTES} as restrictive using (note is distinct from 'secret')`,
  closed: 'select',
  none: `alter table ${NOTES} disable row level security`,
}

const FILTERS = [undefined, 'n=gte.3', 'note=in.(a,b)', 'team=neq.1']

const id = fc.integer({ min: 1, max: IDS })
const values = fc
  .record({
    owner: fc.nat(2),
    team: fc.constantFrom(1, 2, null),
    n: fc.integer({ min: 0, max: 5 }),
    note: fc.constantFrom('a', 'b', 'secret', null),
    folder: fc.constantFrom(1, 2, null),
  })
  .map(({ owner: whose, team, n, note, folder }) => [subjects[whose] ?? null, team, n, note, folder])
const UPSERT = `
  insert into ${NOTES} (id, owner, team, n, note, folder) values ($1, $2, $3, $4, $5, $6)
  on conflict (id) do update set owner = excluded.owner, team = excluded.team, n = excluded.n, note = excluded.note,
    folder = excluded.folder`
const write = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(id, values).map(([key, row]) => ({ sql: UPSERT, params: [key, ...row] })),
  },
  fc.tuple(id, values).map(([key, row]) => ({
    sql: `update ${NOTES} set owner = $2, team = $3, n = $4, note = $5, folder = $6 where id >= $1`,
    params: [key, ...row],
  })),
  fc.tuple(id, id).map(params => ({
    sql: `update ${NOTES} set id = $2 where id = $1 and not exists (select from ${NOTES} where id = $2)`,
    params,
  })),
  id.map(key => ({ sql: `delete from ${NOTES} where id = $1`, params: [key] })),
  fc.constant({
    sql: `update ${NOTES} set n = n + 1, note = case when n > 3 then 'a' else note end`,
    params: [],
  }),
  fc.constantFrom(1, 2).map(key => ({ sql: `delete from ${FOLDERS} where id = $1`, params: [key] })),
  fc.constantFrom(1, 2).map(key => ({
    sql: `update ${FOLDERS} set id = 3 - id where id = $1
    and not exists (select from ${FOLDERS} where id = 3 - $1)`,
    params: [key],
  })),
  fc.constant({ sql: `delete from ${NOTES} where n < 1`, params: [] }),
  fc.constant({ sql: `truncate ${NOTES}`, params: [] }),
)

type Kept = Map<number, string>

/** Keeps the rows that a caller sees, from the events behind a poll: the first, or one that was asked for. */
async function follow({ client, ...person }: Person, filter: string | undefined) {
  const kept: Kept = new Map()
  const early: (() => void)[] = []
  let isPolled = false
  const change = {
    event: '*',
    schema: 'public',
    table: NOTES,
    ...(filter === undefined ? {} : { filter }),
  } as const
  const channel = client
    .channel(crypto.randomUUID())
    .on<Record<string, unknown>>('postgres_changes', change, ({ eventType, new: row, old }) => {
      const apply = () => {
        if (eventType !== 'INSERT') kept.delete(Number((old as { id: unknown }).id))
        if (eventType !== 'DELETE') kept.set(Number(row['id']), JSON.stringify(row))
      }
      if (isPolled) apply()
      else early.push(apply)
    })
    .on('system', {}, ({ status, message, reason }) => {
      if (message === 'must_refetch' && reason.endsWith(' was truncated.')) void refetch()
      else expect(status).toBe('ok')
    })
  await new Promise<void>((resolve, reject) =>
    channel.subscribe((status, err) => {
      if (status === 'SUBSCRIBED') resolve()
      else reject(new Error(`${status}: ${err?.message}`))
    }),
  )
  const poll = async (): Promise<Kept> => {
    const authorization: Record<string, string> =
      person.token === null ? {} : { authorization: `Bearer ${person.token}` }
    const query = filter === undefined ? '' : `?${filter}`
    const url = `${inject('stack').base_url}/v1/db/${NOTES}${query}`
    const { status, body } = await callDb(url, { apikey: person.apikey, ...authorization })
    expect(status).toBe(200)
    return new Map((body as { id: number }[]).map(row => [row.id, JSON.stringify(row)]))
  }
  let polls = 0
  const refetch = async () => {
    isPolled = false
    // What came before is in the answer.
    early.length = 0
    const own = ++polls
    const polled = await poll()
    if (own !== polls) return
    kept.clear()
    for (const [key, row] of polled) kept.set(key, row)
    isPolled = true
    for (const apply of early.splice(0)) apply()
  }
  await refetch()
  return { who: `${person.name} ${filter ?? ''}`, kept, poll, end: () => client.removeChannel(channel) }
}

const sorted = (kept: Kept) => [...kept].sort(([a], [b]) => a - b)

it('keeps what polling shows, whatever policies, filters and writes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(POLICIES)),
      fc.array(fc.array(write, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
      async (policy, rounds) => {
        await owner.query(`
          do $$ declare p record; begin for p in select polname from pg_policy where polrelid = '${NOTES}'::regclass
            loop execute format('drop policy %I on ${NOTES}', p.polname); end loop; end $$;
          delete from ${NOTES}; delete from ${FOLDERS}; insert into ${FOLDERS} values (1), (2);
          alter table ${NOTES} enable row level security; ${POLICIES[policy]};
          insert into ${NOTES} values (1, '${subjects[1]}', 1, 1, 'a', 1), (2, '${subjects[2]}', 2, 4, 'b', 2)`)
        const followers = await Promise.all(
          people.flatMap(person => FILTERS.map(filter => follow(person, filter))),
        )
        try {
          for (const writes of rounds) {
            for (const { sql, params } of writes) await tryWrite(sql, params)
            for (const { who, kept, poll } of followers) {
              const shown = sorted(await poll())
              await vi.waitFor(() => expect(sorted(kept), `${policy}: ${who}`).toEqual(shown), {
                timeout: 5_000,
              })
            }
          }
        } finally {
          await Promise.all(followers.map(({ end }) => end()))
        }
      },
    ),
    { numRuns: 12 },
  )
})

/** A folder that is gone is no fault of the one who writes. */
async function tryWrite(sql: string, params: readonly unknown[]): Promise<void> {
  await owner.query(sql, [...params]).catch((err: { code?: string }) => {
    if (err.code !== '23503' && err.code !== '23505') throw err
  })
}
