// POST /api/sql over HTTP: the role, and the audit log as the history of what was run. What SQL may do and how values
// come back is in sql-*.test.ts, of the same engine.

import { describe, expect, inject, it } from 'vitest'
import type { AuditLog } from '../../src/features/audit/schemas.ts'
import { asAdmin, auditLogs, type DashboardAnswer, memberOutcome } from './dashboard-caller.ts'

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
      action: 'sql.run_by_session',
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
    const filters = { action: 'sql.run_by_session', actor_id: stack.admin_identity_id ?? '' }
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
