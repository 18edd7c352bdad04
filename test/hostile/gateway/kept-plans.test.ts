/**
 * Postgres keeps what it planned, and PL/pgSQL's expressions, for its session. What one caller's settings made of them
 * is not what the next gets: role, claims and search path (`docs/design/threats.md`), and the time zone, under which
 * a constant of a time is read once.
 */
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Gateway } from '../../../sql-gateway/server.ts'
import { DataDatabase, type DataSession } from '../../../src/db/database.ts'
import { SqlWire } from '../../../src/db/sql-wire.ts'
import { startPostgres, startTestGateway, type TestPostgres } from '../../gateway/support.ts'

/** Ways to say noon UTC, each of which Postgres keeps in another place. */
const OPENINGS: Readonly<Record<string, string>> = {
  sql_inlined: "language sql stable as $$ select '2026-01-01 12:00'::timestamptz $$",
  sql_called: "language sql volatile as $$ select '2026-01-01 12:00'::timestamptz $$",
  sql_definer: "language sql stable security definer as $$ select '2026-01-01 12:00'::timestamptz $$",
  sql_immutable: "language sql immutable as $$ select '2026-01-01 12:00'::timestamptz $$",
  plpgsql_return: "language plpgsql stable as $$ begin return '2026-01-01 12:00'::timestamptz; end $$",
  plpgsql_cast: "language plpgsql stable as $$ begin return '2026-01-01 12:00'; end $$",
  plpgsql_declared: `language plpgsql stable as $$ declare t constant timestamptz := timestamptz '2026-01-01 12:00';
    begin return t; end $$`,
  plpgsql_case: `language plpgsql stable as $$ begin
    return case when true then '2026-01-01 12:00'::timestamptz end; end $$`,
  plpgsql_if: `language plpgsql stable as $$ begin
    if timestamptz '2026-01-01 12:00Z' = '2026-01-01 12:00' then return '2026-01-01 12:00Z'; end if;
    return null; end $$`,
  plpgsql_query: `language plpgsql stable as $$ declare t timestamptz; begin
    select '2026-01-01 12:00'::timestamptz into t from pg_class limit 1; return t; end $$`,
  plpgsql_loop: `language plpgsql stable as $$ declare r record; begin
    for r in select '2026-01-01 12:00'::timestamptz as t loop return r.t; end loop; end $$`,
}
const KINDS = Object.keys(OPENINGS).sort()
/** Ways to count what a policy lets through, and to name what the search path finds; each keeps a plan of its own. */
const LOOKS: Readonly<Record<string, string>> = {
  sql_called: 'language sql volatile as $$ select count(*) || who() || (select x from place) from secret $$',
  sql_view:
    'language sql volatile as $$ select count(*) || who() || (select x from place) from secret_view $$',
  plpgsql_table: `language plpgsql stable as $$ begin
    return (select count(*) from secret) || who() || (select x from place); end $$`,
  plpgsql_cte: `language plpgsql stable as $$ declare n int; begin
    with c as materialized (select * from secret) select count(*) into n from c;
    return n || who() || (select x from place); end $$`,
  plpgsql_subquery: `language plpgsql stable as $$ declare n int; begin
    select sum((select count(*) from secret_view)) into n from generate_series(1, 1);
    return n || who() || (select x from place); end $$`,
  plpgsql_function: `language plpgsql stable as $$ begin
    return (select count(*) from secret_rows()) || who() || (select x from place); end $$`,
  plpgsql_regclass: `language plpgsql stable as $$ begin return (select count(*) from secret) || who() ||
    (select relnamespace::regnamespace from pg_class where oid = 'place'::regclass); end $$`,
}
const READ = { sql: 'select kind from clocks order by kind /*anon*/', params: [] }
const READING = { prepared: true, readOnly: true }
const WRITING = { prepared: true, readOnly: false }
const FAR = 'Pacific/Kiritimati'

let postgres: TestPostgres
let gateway: Gateway
let data: DataDatabase

beforeAll(async () => {
  postgres = await startPostgres()
  const functions = KINDS.map(kind => `create function ${kind}() returns timestamptz ${OPENINGS[kind]};`)
  const cases = KINDS.map(kind => `when '${kind}' then ${kind}()`)
  await postgres.admin.query(
    'create role anon; create role service_role bypassrls; grant anon, service_role to app',
  )
  const looks = Object.entries(LOOKS).map(
    ([name, body]) => `create function look_${name}() returns text ${body};`,
  )
  const owner = new Client({ connectionString: postgres.url() })
  await owner.connect()
  await owner.query(`${functions.join(' ')}
    create table clocks (kind text);
    insert into clocks select * from unnest(array['${KINDS.join("','")}']);
    alter table clocks enable row level security;
    create policy p on clocks using (timestamptz '2026-01-01 12:00Z' = case kind ${cases.join(' ')} end);
    grant select on clocks to anon;
    create domain noon as int check (timestamptz '2026-01-01 12:00Z' = sql_inlined() or value = 1);
    create table secret (owner text);
    insert into secret values ('a'), ('b'), ('b');
    alter table secret enable row level security;
    create policy p on secret using (owner = current_setting('request.jwt.claims')::json ->> 'sub');
    create view secret_view with (security_invoker) as select * from secret;
    create table place as select 'public' as x;
    create schema other;
    grant usage on schema other to public;
    create table other.place as select 'other' as x;
    grant select on secret, secret_view, place, other.place to anon, service_role;
    create function secret_rows() returns setof secret language sql stable as $$ select * from public.secret $$;
    create function who() returns text language plpgsql stable as
      $$ begin return current_user || coalesce(current_setting('request.jwt.claims')::json ->> 'sub', ''); end $$;
    ${looks.join(' ')}`)
  await owner.end()
}, 60_000)

afterAll(() => postgres.remove())

// Connections that nobody has used yet: the attacker comes first.
beforeEach(async () => {
  gateway = await startTestGateway(postgres, { limits: { ownPoolSize: 1, callerPoolSize: 1 } })
  const wire = new SqlWire({ connectionString: postgres.url(), gatewayUrl: gateway.url })
  data = new DataDatabase(wire, { wipesPlans: true })
})

afterEach(() => gateway.close())

function session(more: Partial<DataSession> = {}): DataSession {
  return {
    role: 'anon',
    claims: '{"role":"anon"}',
    share: 'key/client',
    requestId: 'request',
    searchPath: ['public'],
    timeoutMs: 10_000,
    method: 'GET',
    path: '/v1/db/clocks',
    headers: '{}',
    cookies: '{}',
    ...more,
  }
}

async function seen(more?: Partial<DataSession>): Promise<(string | null | undefined)[]> {
  const [result] = await data.batch(session(more), [READ], READING)
  return result?.rows.map(([kind]) => kind) ?? []
}

const statement = (sql: string) => ({ sql, params: [] })
/** Six times, since Postgres thinks five times before it keeps a plan. */
const ATTACKS: Readonly<Record<string, (zoned: DataSession) => Promise<unknown>>> = {
  'that succeeds': zoned => data.batch(zoned, [READ], READING),
  'that may write': zoned => data.batch(zoned, [READ], WRITING),
  'that asks for a body': zoned => data.batchForBody(zoned, READ, READING),
  'that fails behind its rows': zoned => data.batch(zoned, [READ, statement('select 1 / 0')], READING),
  'that is out of time': zoned =>
    data.batch({ ...zoned, timeoutMs: 100 }, [READ, statement('select pg_sleep(9)')], READING),
  'that is rolled back': zoned =>
    data.batch(zoned, [statement('savepoint s'), READ, statement('rollback to savepoint s')], WRITING),
}

it.each(Object.keys(ATTACKS))(
  'shows other keys the same rows after a call with a time zone %s',
  async name => {
    const zoned = session({ timezone: FAR, share: 'other/client' })
    for (let i = 0; i < 6; i++) await ATTACKS[name]?.(zoned).catch(() => undefined)
    expect(await seen()).toEqual(KINDS)
  },
)

// DISCARD ALL leaves what a domain's check was made of.
it('checks a domain for the next caller as its own zone has it', async () => {
  const unprepared = { prepared: false, readOnly: true }
  const domain = statement('select 2::noon')
  await expect(data.batch(session({ timezone: FAR }), [domain], unprepared)).rejects.toThrow('noon')
  expect((await data.batch(session(), [domain], unprepared))[0]?.rows).toEqual([['2']])
})

it('gives a call with a time zone what its own zone makes of it', async () => {
  const zone = statement("select current_setting('TimeZone')")
  const [result] = await data.batch(session({ timezone: FAR }), [zone], READING)
  expect(result?.rows).toEqual([[FAR]])
  expect(await seen({ timezone: FAR })).not.toEqual(KINDS)
})

it('leaves the connections and plans of others alone in a stream of calls with time zones', async () => {
  const plans = {
    sql: 'select pg_backend_pid(), generic_plans + custom_plans from pg_prepared_statements where statement = $1',
    params: [READ.sql],
  }
  const state = async () => (await data.batch(session(), [plans], READING))[0]?.rows[0] ?? []
  await seen()
  const [pid, before] = await state()
  const zoned = Array.from({ length: 30 }, (_, i) => seen({ timezone: FAR, share: `other/${i}` }))
  await Promise.all(zoned)
  await seen()
  expect(await state()).toEqual([pid, String(Number(before) + 1)])
})

const CALLERS: readonly (readonly [string, Partial<DataSession>])[] = [
  ['3service_rolepublic', { role: 'service_role', claims: '{}' }],
  ['1anonapublic', { claims: '{"sub":"a"}' }],
  ['2anonbpublic', { claims: '{"sub":"b"}' }],
  ['2anonbother', { claims: '{"sub":"b"}', searchPath: ['other', 'public'] }],
  ['0anonpublic', { claims: '{}' }],
]

it('keeps no row, role, claim or search path of one caller in what Postgres plans for the next', async () => {
  const names = Object.keys(LOOKS)
  const look = statement(`select ${names.map(name => `look_${name}()`).join(', ')}`)
  for (const first of CALLERS) {
    // The own text of the role, as `/v1/db` sends it; six times, and then everybody else.
    for (const [expected, more] of [first, first, first, first, first, first, ...CALLERS]) {
      const text = { ...look, sql: `${look.sql} /*${more.role ?? 'anon'}*/` }
      const [result] = await data.batch(session(more), [text], READING)
      expect(result?.rows).toEqual([names.map(() => expected)])
    }
  }
})
