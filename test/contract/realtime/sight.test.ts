// Who is said to see a recorded row: exactly who would read it under the table's policies.

import fc from 'fast-check'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type MigrationDatabase, migrationDatabase } from '../../support/migrations.ts'

let database: MigrationDatabase

beforeAll(async () => {
  database = await migrationDatabase()
})
afterAll(async () => {
  await database?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await ask(
    'drop schema if exists app cascade; create schema app; grant usage on schema app to anon, service_role',
  )
})

async function ask<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return (await database.owner.query<Row>(sql, values)).rows
}

interface Answered {
  table: {
    fits: boolean
    columns: { name: string; type: string }[]
    selectable: Record<string, string[]>
    claims_read: string[]
  } | null
  seen: (number[] | 'all' | { code: string; message: string })[]
}

interface Caller {
  role: 'anon' | 'service_role'
  claims: object
}

const ANON: Caller = { role: 'anon', claims: {} }
const person = (sub: string, more: object = {}): Caller => ({ role: 'anon', claims: { sub, ...more } })

/** What is said of the table's present rows, as they would be recorded. */
async function sightOf(
  table: string,
  callers: readonly Caller[],
  filters: readonly object[] = [],
): Promise<Answered> {
  const [row] = await ask<{ answer: Answered[] }>(
    `select quoin.rows_in_sight(json_build_array(json_build_object('table_id', $1::regclass::oid::bigint, 'images', (
      select coalesce(json_agg(row_to_json(t)::text order by t.id), '[]') from ${table} t),
      'callers', $2::json))) as answer`,
    [table, JSON.stringify([...callers.map(claimsAsText), ...filters])],
  )
  return row?.answer[0] as Answered
}

const claimsAsText = ({ role, claims }: Caller) => ({ role, claims: JSON.stringify({ ...claims, role }) })

/** What a caller reads: the indexes of its rows among all, in the order of their ids. */
async function readBy(table: string, caller: Caller): Promise<number[]> {
  await ask('begin')
  try {
    const all = await ask<{ id: number }>(`select id from ${table} order by id`)
    const { claims } = claimsAsText(caller)
    await ask(`select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)`, [
      caller.role,
      claims,
    ])
    const seen = await ask<{ id: number }>(`select id from ${table}`)
    return all.flatMap(({ id }, index) => (seen.some(one => one.id === id) ? [index] : []))
  } finally {
    await ask('rollback')
  }
}

const NOTES = `
  create table app.members (team int, member text);
  insert into app.members values (1, 'ada'), (2, 'bob');
  create table app.notes (id int primary key, owner text, team int, n int, tags text[] default '{a}', secret boolean);
  insert into app.notes values (1, 'ada', 1, 10), (2, 'bob', 2, 20), (3, null, null, 30), (4, 'ada', 2, 40);
  grant select on app.notes, app.members to anon, service_role;
  alter table app.notes enable row level security;`

describe('the policies of a table', () => {
  const POLICIES = [
    'owner = quoin.uid()',
    `team = (quoin.claims() ->> 'team')::int`,
    'exists (select from app.members m where m.team = notes.team and m.member = quoin.uid())',
    'team in (select team from app.members where member = quoin.uid())',
    'id = (select min(o.id) from app.notes o)',
    'notes.* is not null',
    `(notes.*)::text like '%ada%'`,
    `'a' = any (tags)`,
    'n > 15',
    'secret is not true',
    'true',
    'false',
    `current_user = 'anon'`,
    `not (n > 15 and owner = quoin.uid())`,
  ]

  it('show exactly what a caller would read, whatever they are', async () => {
    await ask(NOTES)
    const callers = [
      ANON,
      person('ada', { team: 2 }),
      person('bob'),
      { role: 'service_role', claims: {} } as const,
    ]
    const policy = fc.record({
      condition: fc.constantFrom(...POLICIES),
      kind: fc.constantFrom('permissive', 'restrictive'),
      command: fc.constantFrom('select', 'all', 'update'),
      to: fc.constantFrom('public', 'anon', 'service_role'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(policy, { maxLength: 4 }), async policies => {
        await ask(
          `do $$ declare p record; begin for p in select polname from pg_policy where polrelid = 'app.notes'::regclass
            loop execute format('drop policy %I on app.notes', p.polname); end loop; end $$`,
        )
        for (const [i, { condition, kind, command, to }] of policies.entries())
          await ask(
            `create policy p${i} on app.notes as ${kind} for ${command} to ${to} using (${condition})`,
          )
        const { seen: answers } = await sightOf('app.notes', callers)
        for (const [i, caller] of callers.entries()) {
          const seen = answers[i] === 'all' ? [0, 1, 2, 3] : answers[i]
          // A policy that reads its own table is an endless recursion for Postgres; as an image it can be judged.
          const read = await readBy('app.notes', caller).catch(() => seen)
          expect(seen).toEqual(read)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('hold for tables with odd names, and columns called as what the question uses', async () => {
    await ask(`
      create table app."Odd ""name" (id int primary key, "image" text, n int, "quoin_images" text, "passing" text);
      insert into app."Odd ""name" values (1, 'x', 1, 'q', 'p'), (2, 'y', 2, 'q', 'p');
      grant select on app."Odd ""name" to anon;
      alter table app."Odd ""name" enable row level security;
      create policy p on app."Odd ""name" using (image = 'x' and n = 1 and quoin_images = 'q' and passing = 'p')`)
    const { table, seen } = await sightOf('app."Odd ""name"', [ANON])
    expect(seen).toEqual([[0]])
    expect(table?.fits).toBe(true)
  })

  it.each([
    ['raises', `raise exception 'no' using errcode = 'P0001'`, 'P0001'],
    ['fails an assertion', `assert false, 'no'`, 'P0004'],
    ['uses the code by which we come back', `raise exception 'no' using errcode = 'QN000'`, 'QN000'],
  ])('that %s are the failure of one class alone', async (_, statement, code) => {
    await ask(NOTES)
    await ask(`
      create function app.judge() returns boolean language plpgsql as $f$ begin
        if quoin.uid() = 'eve' then ${statement}; end if; return true; end $f$;
      grant execute on function app.judge() to anon;
      create policy p on app.notes using (app.judge())`)
    const { seen } = await sightOf('app.notes', [person('ada'), person('eve'), person('bob')])
    expect(seen).toEqual([[0, 1, 2, 3], { code, message: expect.any(String) }, [0, 1, 2, 3]])
  })

  it('set nothing that the next class could see, and write nothing', async () => {
    await ask(NOTES)
    await ask(`
      create table app.log (who text); grant insert on app.log to anon;
      create function app.judge() returns boolean language plpgsql as $f$ begin
        insert into app.log values (quoin.uid());
        perform set_config('request.jwt.claims', '{"sub":"ada"}', true), set_config('search_path', 'app', true),
          set_config('role', 'service_role', true), set_config('app.seen', 'by ' || quoin.uid(), true);
        return true; end $f$;
      grant execute on function app.judge() to anon;
      create policy judge on app.notes using (app.judge());
      create policy own on app.notes as restrictive
        using (owner = quoin.uid() and coalesce(current_setting('app.seen', true), '') in ('', 'by ' || owner))`)
    const { seen } = await sightOf('app.notes', [person('bob'), ANON])
    expect(seen[1]).toEqual([])
    expect(await ask('select * from app.log')).toEqual([])
  })

  it('are those of the moment: nothing of an earlier answer is kept', async () => {
    await ask(`${NOTES} create policy p on app.notes using (owner = quoin.uid())`)
    expect((await sightOf('app.notes', [person('ada')])).seen).toEqual([[0, 3]])
    await ask('alter policy p on app.notes using (owner <> quoin.uid())')
    expect((await sightOf('app.notes', [person('ada')])).seen).toEqual([[1]])
    await ask('alter table app.notes disable row level security')
    expect((await sightOf('app.notes', [person('ada')])).seen).toEqual(['all'])
  })
})

describe('what is said of a table', () => {
  it('names its columns, their types, and who may select which', async () => {
    await ask(`
      create table app.t (b int, a int, gone int, s text, primary key (a, b));
      alter table app.t drop column gone; grant select (a) on app.t to anon; grant select on app.t to service_role`)
    const [row] = await ask<{ answer: Answered[] }>(
      `select quoin.rows_in_sight(json_build_array(json_build_object(
        'table_id', 'app.t'::regclass::oid::bigint, 'images', '[]'::json, 'callers', '[]'::json))) as answer`,
    )
    expect(row?.answer[0]?.table).toMatchObject({
      columns: [
        { name: 'b', type: 'int4' },
        { name: 'a', type: 'int4' },
        { name: 's', type: 'text' },
      ],
      selectable: { anon: ['a'], service_role: ['b', 'a', 's'] },
      claims_read: [],
    })
  })

  it('is nothing without USAGE on the schema', async () => {
    await ask(`${NOTES} revoke usage on schema app from anon`)
    expect((await sightOf('app.notes', [ANON])).table?.selectable['anon']).toEqual([])
  })

  it('is null where there is no table any more', async () => {
    const [row] = await ask<{ answer: Answered[] }>(
      `select quoin.rows_in_sight('[{"table_id":1,"images":[],"callers":[{"role":"anon","claims":"{}"}]}]') as answer`,
    )
    expect(row?.answer).toEqual([{ table: null, seen: [] }])
  })

  it('tells that an image has other columns than the table by now', async () => {
    await ask(NOTES)
    const fits = async (image: object) => {
      const [row] = await ask<{ answer: Answered[] }>(
        `select quoin.rows_in_sight(json_build_array(json_build_object('table_id', 'app.notes'::regclass::oid::bigint,
          'images', json_build_array($1::text), 'callers', '[]'::json))) as answer`,
        [JSON.stringify(image)],
      )
      return row?.answer[0]?.table?.fits
    }
    const image = { id: 1, owner: 'ada', team: 1, n: 1, tags: [], secret: null }
    expect(await fits(image)).toBe(true)
    const { secret: _, ...renamed } = { ...image, hidden: true }
    expect(await fits(renamed)).toBe(false)
  })

  it.each([
    [`(quoin.claims() ->> 'exp')::numeric > 0`, ['exp']],
    [`quoin.claims() ->> 'jti' <> 'x' and (quoin.claims() ->> 'iat') is not null`, ['iat', 'jti']],
    ['owner = quoin.uid()', []],
  ])('names the passing claims that policies read: %s', async (condition, claims) => {
    await ask(`${NOTES} create policy p on app.notes for select using (${condition})`)
    expect((await sightOf('app.notes', [])).table?.claims_read).toEqual(claims)
  })

  it('names those too that a function may read for them', async () => {
    await ask(`${NOTES}
      create function app.is_fresh() returns boolean language sql return (quoin.claims() ->> 'auth_time') is not null;
      create policy p on app.notes for select using (app.is_fresh())`)
    expect((await sightOf('app.notes', [])).table?.claims_read).toEqual(['auth_time'])
  })
})

it.each(['{"a":"\\u0000"}', '{"a":"\\ud800"}'])(
  'cannot judge %s in a json column, and does not fail by it',
  async value => {
    await ask('create table app.texts (id int primary key, value json); grant select on app.texts to anon')
    await ask('insert into app.texts values (1, $1)', [value])
    expect(await sightOf('app.texts', [ANON])).toMatchObject({ table: { fits: false }, seen: ['all'] })
  },
)

it.each(['json', 'jsonb'])('shows no row by a policy that tells no value from null as %s', async type => {
  await ask(`create table app.notes (gone int, id int primary key, hidden_for ${type}, meta ${type});
    alter table app.notes drop column gone; alter table app.notes enable row level security;
    grant select on app.notes to anon; create policy p on app.notes using (hidden_for is null and id < 9);
    insert into app.notes values (1, '{}', null), (2, null, null), (3, null, '{}')`)
  expect((await sightOf('app.notes', [ANON])).seen).toMatchObject([{ code: '22030' }])
  await ask(
    `insert into app.notes values (4, 'null', null); update app.notes set hidden_for = '1' where id in (2, 3)`,
  )
  expect(await readBy('app.notes', ANON)).toEqual([])
  expect((await sightOf('app.notes', [ANON])).seen).toMatchObject([{ code: '22030' }])
  // Who reads the column, and makes no such difference, is told as ever.
  await ask(`alter policy p on app.notes using (coalesce(meta ->> 'x', 'public') = 'public' and id < 3)`)
  expect((await sightOf('app.notes', [ANON])).seen).toEqual([[0, 1]])
})

it('waits for no lock of a table that policies or views elsewhere name', async () => {
  await ask(
    `${NOTES} create policy p on app.notes using (exists (select from app.members where member = owner))`,
  )
  await ask('create table app.unrelated (id int); create view app.seen as select * from app.unrelated')
  const other = new Client({ connectionString: database.url })
  await other.connect()
  try {
    await other.query('begin; lock table app.unrelated in access exclusive mode')
    await ask(`set statement_timeout = '5s'`)
    expect((await sightOf('app.notes', [person('ada')])).seen).toMatchObject([[0, 1, 3]])
  } finally {
    await other.end()
    await ask('reset statement_timeout')
  }
})

it('judges filters under the role of their subscription, each with its own failure', async () => {
  await ask(NOTES)
  const filter = (sql: string, params: string[] = []) => ({
    role: 'service_role',
    claims: '{}',
    filter: sql,
    params,
  })
  const { seen } = await sightOf(
    'app.notes',
    [],
    [
      filter('"notes"."n" > cast(($2)[1] as int4)', ['15']),
      filter('"notes"."n" = cast(($2)[1] as int4)', ['x']),
      filter('"notes"."owner" = ($2)[1]', ['ada']),
    ],
  )
  expect(seen).toEqual([[1, 2, 3], { code: '22P02', message: expect.any(String) }, [0, 3]])
})

it('lets no filter look at a row that policies hide: it would tell of it by failing', async () => {
  await ask(`${NOTES} create policy p on app.notes using (owner = quoin.uid())`)
  const filters = [
    { ...claimsAsText(person('ada')), filter: '1 / ("notes"."n" - 20) is not null', params: [] },
  ]
  expect((await sightOf('app.notes', [], filters)).seen).toEqual([[0, 3]])
  const all = [
    {
      ...claimsAsText({ role: 'service_role', claims: {} }),
      filter: '1 / ("notes"."n" - 20) is not null',
      params: [],
    },
  ]
  expect((await sightOf('app.notes', [], all)).seen).toMatchObject([{ code: '22012' }])
})
