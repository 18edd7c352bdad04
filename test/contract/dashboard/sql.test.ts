// /api/sql over HTTP: the role, the audit log as the history of what was run, and what a script would lose. What SQL
// may do and how values come back is in sql-*.test.ts, of the same engine.

import { describe, expect, inject, it } from 'vitest'
import type { AuditLog } from '../../../src/features/audit/schemas.ts'
import { asAdmin, auditLogs, type DashboardAnswer, memberOutcome } from './caller.ts'

const stack = inject('stack')

const run = (sql: string, more: object = {}) => asAdmin('POST', '/api/sql', { body: { sql, ...more } })
const outcome = ({ status, json }: DashboardAnswer) => [status, json?.code]

/** What the log has of one call. */
async function entryOf({ headers }: DashboardAnswer): Promise<AuditLog | undefined> {
  const entries = await auditLogs({ request_id: headers.get('x-request-id') ?? '' })
  expect(entries).toHaveLength(1)
  return entries[0]
}

describe('POST /api/sql', () => {
  it('answers rows, as service_role over the login role, and shows SQL no cookie', async () => {
    const answer = await run(
      `select current_user as role, session_user as login, $1::int + 1 as sum,
      current_setting('request.cookies') as cookies, current_setting('request.headers') ~ 'cookie' as has_cookie`,
      {
        params: [41],
      },
    )
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        rows: [{ role: 'service_role', login: 'authenticator', sum: 42, cookies: '{}', has_cookie: false }],
        rowCount: 1,
        columns: expect.any(Array),
        command: 'SELECT',
      },
    ])
  })

  it('keeps text, command and row count, and no values of parameters', async () => {
    const answer = await run('select n from generate_series(1, $1::int) n where $2::text is not null', {
      params: [3, 'a-value-of-mine'],
    })
    const entry = await entryOf(answer)
    expect(entry).toMatchObject({
      action: 'sql.run',
      actor_kind: 'session',
      actor_id: stack.admin_identity_id,
      target_kind: 'sql',
      target_id: null,
      outcome: 'succeeded',
      error_code: null,
      before: { sql: 'select n from generate_series(1, $1::int) n where $2::text is not null' },
      after: { command: 'SELECT', row_count: 3 },
    })
    expect(JSON.stringify(entry)).not.toContain('a-value-of-mine')
  })

  it.each([
    ['no SQL', 'selct 1', [400, '42601']],
    ['a mistake of Postgres’ own', 'select 1/0', [400, '22012']],
    ['what is not allowed', 'begin', [400, 'statement_not_allowed']],
    ['a table of Quoin’s', 'select * from quoin.api_keys', [403, '42501']],
  ])('keeps the text of %s too, with the code', async (_, sql, expected) => {
    const answer = await run(sql)
    expect(outcome(answer)).toEqual(expected)
    expect(await entryOf(answer)).toMatchObject({
      outcome: 'failed',
      error_code: expected[1],
      before: { sql },
      after: null,
    })
  })

  it('cuts a long text where a letter ends, and says so', async () => {
    const sql = `select 1 --${'é'.repeat(5_000)}`
    const { before } = (await entryOf(await run(sql))) ?? {}
    const shown = before as { sql: string; sql_bytes: number }
    expect(shown.sql_bytes).toBe(Buffer.byteLength(sql))
    expect(sql.startsWith(shown.sql)).toBe(true)
    expect(Buffer.byteLength(shown.sql)).toBeGreaterThan(8 * 1024 - 2)
    expect(Buffer.byteLength(shown.sql)).toBeLessThanOrEqual(8 * 1024)
  })

  it('gives a person’s own history back, newest first', async () => {
    const marks = ['first', 'second'].map(word => `select '${word} ${crypto.randomUUID()}'`)
    for (const sql of marks) await run(sql)
    const filters = { action: 'sql.run', actor_id: stack.admin_identity_id ?? '' }
    const texts = (await auditLogs(filters)).map(({ before }) => (before as { sql: string }).sql)
    expect(texts.filter(text => marks.includes(text))).toEqual([...marks].reverse())
  })

  it.each([
    ['no body', undefined],
    ['no text', {}],
    ['a field that does not exist', { sql: 'select 1', role: 'owner' }],
    ['a row limit of 0', { sql: 'select 1', row_limit: 0 }],
  ])('refuses %s, which leaves no entry', async (_, body) => {
    const answer = await asAdmin('POST', '/api/sql', { body })
    expect(outcome(answer)).toEqual([400, 'validation_failed'])
    expect(await auditLogs({ request_id: answer.headers.get('x-request-id') ?? '' })).toEqual([])
  })

  it('is not for members', async () => {
    expect(await memberOutcome('POST', '/api/sql')).toEqual([403, 'admin_required'])
  })
})

describe('POST /api/sql/transaction', () => {
  const script = (...texts: string[]) =>
    asAdmin('POST', '/api/sql/transaction', { body: { statements: texts.map(sql => ({ sql })) } })

  it('answers each statement’s rows, and keeps the script in one entry', async () => {
    const answer = await script('select current_user as role -- mine', 'values (1), (2)')
    expect(answer.status).toBe(200)
    expect(answer.json.results).toMatchObject([
      { rows: [{ role: 'service_role' }], command: 'SELECT' },
      { rowCount: 2 },
    ])
    expect(await entryOf(answer)).toMatchObject({
      action: 'sql.transaction',
      target_kind: 'sql',
      outcome: 'succeeded',
      before: { sql: 'select current_user as role -- mine\n;\nvalues (1), (2)' },
      after: {
        results: [
          { command: 'SELECT', row_count: 1 },
          { command: 'SELECT', row_count: 2 },
        ],
      },
    })
  })

  it('undoes all when one fails, names it, and keeps the text', async () => {
    const table = `undone_${crypto.randomUUID().slice(0, 8)}`
    const answer = await script(`create table ${table} (id int)`, 'select 1/0')
    expect([...outcome(answer), answer.json.detail]).toEqual([400, '22012', 'statements[1]'])
    expect(await entryOf(answer)).toMatchObject({ outcome: 'failed', error_code: '22012', after: null })
    expect((await run(`select to_regclass('${table}') as found`)).json.rows).toEqual([{ found: null }])
  })

  it('is not for members', async () => {
    expect(await memberOutcome('POST', '/api/sql/transaction')).toEqual([403, 'admin_required'])
  })
})

describe('POST /api/sql/check', () => {
  const check = (sql: string) => asAdmin('POST', '/api/sql/check', { body: { sql } })
  const lossesOf = async (sql: string) => {
    const { status, json, text } = await check(sql)
    expect(status, text).toBe(200)
    return json.statements.flatMap(({ losses }: { losses: object[] }) => losses)
  }

  it('splits a script as Postgres reads it, and leaves no entry', async () => {
    const text = "-- é first\nselect ';' as a ;\n\n do $$ begin null; end $$; select 2 -- last;\n;;"
    const answer = await check(text)
    expect(answer.status).toBe(200)
    const statements = answer.json.statements as { sql: string; offset: number; opaque: boolean }[]
    expect(statements.map(({ opaque }) => opaque)).toEqual([false, true, false])
    expect(statements.map(({ sql }) => sql)).toEqual([
      "-- é first\nselect ';' as a",
      'do $$ begin null; end $$',
      'select 2 -- last;',
    ])
    for (const { sql, offset } of statements) expect(text.slice(offset, offset + sql.length)).toBe(sql)
    expect(await auditLogs({ request_id: answer.headers.get('x-request-id') ?? '' })).toEqual([])
  })

  it('counts what tables, views and schemas would lose, and loses none of it', async () => {
    const name = `lost_${crypto.randomUUID().slice(0, 8)}`
    await run(`create table ${name} (id int primary key)`)
    await run(`create table ${name}_child (id int primary key references ${name} on delete cascade)`)
    await run(`create view ${name}_some as select * from ${name} where id > 2`)
    await run(`insert into ${name} select generate_series(1, 5)`)
    await run(`insert into ${name}_child values (1)`)
    const all = { part: null, cascades: false, rows_exact: true }
    const [object_kind, object] = ['table', `public.${name}`]
    const losses = await lossesOf(`with x as (delete from ${name}) select 1; drop table ${name}_child;
      update ${name}_some set id = id + 10; alter table public.${name} drop column id cascade; drop schema public`)
    expect(losses.slice(0, -1)).toEqual([
      { ...all, kind: 'delete_rows', object_kind, object, cascades: true, rows: 5 },
      { ...all, kind: 'drop', object_kind, object: `${object}_child`, rows: 1 },
      { ...all, kind: 'update_rows', object_kind: 'view', object: `${object}_some`, rows: 3 },
      { ...all, kind: 'drop_column', object_kind, object, part: 'id', cascades: true, rows: 5 },
    ])
    expect(losses.at(-1)).toMatchObject({ kind: 'drop', object_kind: 'schema', object: 'public' })
    await run(`drop table ${name} cascade`)
    await run(`drop table ${name}_child`)
  })

  it('estimates a large table, and says nothing of one that is not there or not readable', async () => {
    const name = `large_${crypto.randomUUID().slice(0, 8)}`
    await run(`create table ${name} as select generate_series(1, 120000) as id`)
    await run(`analyze ${name}`)
    expect(
      await lossesOf(`delete from "${name}"; truncate no_such_table; drop table quoin.api_keys`),
    ).toMatchObject([
      { object: `public.${name}`, rows: 120000, rows_exact: false },
      { object: 'no_such_table', rows: null, rows_exact: false },
      { object: 'quoin.api_keys', rows_exact: false },
    ])
    await run(`drop table ${name}`)
  })

  it('does not wait for a table that a lock or a view keeps from being counted', async () => {
    const name = `slow_${crypto.randomUUID().slice(0, 8)}`
    await run(`create view ${name} as select pg_sleep(30)::text as id from generate_series(1, 2)`)
    expect(await lossesOf(`update ${name} set id = ''; delete from todos`)).toMatchObject([
      { kind: 'update_rows', object_kind: 'view', rows: null, rows_exact: false },
      { object: 'public.todos', rows: expect.any(Number) },
    ])
    await run(`drop view ${name}`)
  })

  it.each([
    ['no SQL', 'select 1; selct 2', [400, '42601', 'Line 1, column 11.'], { line: 1, column: 11 }],
    [
      'too many statements',
      'select 1;'.repeat(21),
      [400, 'too_many_statements', 'The SQL holds 21 statements.'],
      {},
    ],
  ])('refuses %s', async (_, sql, expected, place) => {
    const answer = await check(sql)
    expect([...outcome(answer), answer.json.detail]).toEqual(expected)
    expect(answer.json).toMatchObject(place)
  })

  it('is not for members', async () => {
    expect(await memberOutcome('POST', '/api/sql/check')).toEqual([403, 'admin_required'])
  })
})
