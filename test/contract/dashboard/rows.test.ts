// /api/db over HTTP: what a session adds to the engine of /v1/db, whose own tests are db-*.test.ts. That is the role,
// the audit log, the headers that the dashboard's page may send, and that users' functions choose no headers.

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { asOwner, freshPrefix } from '../data-api/caller.ts'
import { asAdmin, auditLogs, type DashboardAnswer, memberOutcome } from './caller.ts'

const stack = inject('stack')
const p = freshPrefix()
const table = `/api/db/${p}_notes`
const outcome = ({ status, json }: DashboardAnswer) => [status, json?.code]
const requestIdOf = ({ headers }: DashboardAnswer) => headers.get('x-request-id') ?? ''

beforeAll(() =>
  asOwner(`
    create table ${p}_notes (id bigint primary key, body text, token text);
    alter table ${p}_notes enable row level security;
    insert into ${p}_notes select n, 'note ' || n from generate_series(1, 5) n;
    create view ${p}_me as select current_user as role, session_user as login,
      current_setting('request.headers') as headers, current_setting('request.cookies') as cookies,
      current_setting('request.path') as path;
    create table ${p}_kept (id int);
    create function ${p}_plant() returns trigger language plpgsql as $$ begin
      perform set_config('response.headers', '[{"Set-Cookie":"ory_kratos_session=planted"},{"X-Own":"1"}]', true);
      perform set_config('response.status', '302', true);
      return new; end $$;
    create trigger plant before insert on ${p}_kept for each row execute function ${p}_plant();
    revoke all on ${p}_me from anon; grant select on ${p}_me to service_role`),
)

afterAll(() => asOwner(`drop view ${p}_me; drop table ${p}_notes, ${p}_kept; drop function ${p}_plant`))

describe('GET /api/db/:table', () => {
  it('reads past row-level security, by pages, with a count', async () => {
    const answer = await asAdmin('GET', `${table}?select=id&order=id.desc&limit=2`, {
      headers: { prefer: 'count=exact' },
    })
    expect([answer.status, answer.json]).toEqual([206, [{ id: 5 }, { id: 4 }]])
    expect(answer.headers.get('content-range')).toBe('0-1/5')
  })

  // Whoever may make a view or trigger could else collect administrators' sessions.
  it('runs as service_role over the login role, and shows SQL no cookie', async () => {
    const headers = { cookie: `${stack.session_cookie_admin}; renamed_session=secret` }
    const [me] = (await asAdmin('GET', `/api/db/${p}_me`, { headers })).json
    expect(me).toMatchObject({ role: 'service_role', login: 'authenticator', cookies: '{}' })
    expect(me.path).toBe(`/api/db/${p}_me`)
    expect(me.headers).not.toMatch(/cookie|secret/)
  })

  it.each([
    ['an unknown table', `/api/db/${p}_nothing`, {}, [404, '42P01']],
    ['a filter that cannot be read', `${table}?id=foo`, {}, [400, 'invalid_filter']],
    ['a parameter of no use', `${table}?on_conflict=id`, {}, [400, 'invalid_parameter']],
    ['a schema that is not served', table, { 'accept-profile': 'quoin' }, [406, 'schema_not_exposed']],
  ])('refuses %s', async (_, path, headers, expected) => {
    expect(outcome(await asAdmin('GET', path, { headers }))).toEqual(expected)
  })
})

describe('writes', () => {
  it('insert, change and delete rows, each in the audit log with its filters and body', async () => {
    const row = { id: 100, body: 'new', token: 'hunter2' }
    const made = await asAdmin('POST', table, { body: row })
    expect([made.status, made.json]).toEqual([201, [row]])
    const changed = await asAdmin('PATCH', `${table}?id=eq.100&body=neq.x&body=neq.y`, {
      body: { body: 'changed' },
      headers: { prefer: 'return=representation, max-affected=1', 'content-profile': 'public' },
    })
    expect([changed.status, changed.json]).toEqual([200, [{ ...row, body: 'changed' }]])
    const gone = await asAdmin('DELETE', `${table}?id=eq.100&token=eq.hunter2`, {
      headers: { prefer: 'return=minimal' },
    })
    expect([gone.status, gone.text]).toEqual([204, ''])

    const entries = await auditLogs({ target_kind: 'table', target_id: `public.${p}_notes`, limit: '3' })
    expect(entries).toMatchObject([
      { action: 'db.delete', request_id: requestIdOf(gone) },
      { action: 'db.update', request_id: requestIdOf(changed) },
      { action: 'db.insert', request_id: requestIdOf(made) },
    ])
    expect(entries.map(entry => entry.after)).toEqual([
      { filters: { id: 'eq.100', token: '[secret]' }, prefer: 'return=minimal' },
      {
        filters: { id: 'eq.100', body: ['neq.x', 'neq.y'] },
        prefer: 'return=representation, max-affected=1',
        body: { body: 'changed' },
      },
      { filters: {}, body: { ...row, token: '[secret]' } },
    ])
    for (const { actor_id, outcome: end, before } of entries)
      expect([actor_id, end, before]).toEqual([stack.admin_identity_id, 'succeeded', null])
  })

  const shownOf = async (answer: DashboardAnswer) =>
    (await auditLogs({ request_id: requestIdOf(answer) })).map(entry => entry.after)

  it('have a body of more than 8 KiB, or no JSON, in the log by its size alone', async () => {
    const row = JSON.stringify({ id: 200, body: 'x'.repeat(8 * 1024) })
    expect(await shownOf(await asAdmin('POST', table, { body: row }))).toEqual([
      { filters: {}, body_bytes: row.length },
    ])
    const csv = 'id,token\n201,hunter2\n'
    const answer = await asAdmin('POST', table, { body: csv, headers: { 'content-type': 'text/csv' } })
    expect(answer.status).toBe(201)
    expect(await shownOf(answer)).toEqual([{ filters: {}, body_bytes: csv.length }])
  })

  it('name the row that was meant, where JavaScript would round its number', async () => {
    const answer = await asAdmin('POST', table, { body: '{"id":9007199254740993,"constructor":1}' })
    expect(outcome(answer)).toEqual([400, '42703'])
    const made = await asAdmin('POST', table, { body: '{"id":9007199254740993}' })
    expect(made.text).toContain('9007199254740993')
    expect(await shownOf(made)).toEqual([{ filters: {}, body: { id: '9007199254740993' } }])
  })

  it('that are refused are in the log as failed, and change nothing', async () => {
    const tooMany = await asAdmin('PATCH', `${table}?id=lt.6`, {
      body: { body: 'x' },
      headers: { prefer: 'max-affected=2' },
    })
    const twice = await asAdmin('POST', table, { body: { id: 1 } })
    const all = await asAdmin('DELETE', table)
    const answers = [tooMany, twice, all]
    const codes = ['max_affected_exceeded', '23505', 'filter_required']
    expect(answers.map(answer => answer.json.code)).toEqual(codes)
    for (const [i, answer] of answers.entries()) {
      expect(await auditLogs({ request_id: requestIdOf(answer) })).toMatchObject([
        { outcome: 'failed', error_code: codes[i] },
      ])
    }
    const { json } = await asAdmin('GET', `${table}?select=body&id=eq.1`)
    expect(json).toEqual([{ body: 'note 1' }])
  })

  it('of what can be no table, or is in no schema that is served, leave no entry', async () => {
    const calls = [
      await asAdmin('POST', `/api/db/${'x'.repeat(64)}`, { body: {} }),
      await asAdmin('POST', table, { body: {}, headers: { 'content-profile': 'quoin' } }),
    ]
    expect(calls.map(outcome)).toEqual([
      [400, 'invalid_parameter'],
      [406, 'schema_not_exposed'],
    ])
    for (const answer of calls) expect(await auditLogs({ request_id: requestIdOf(answer) })).toEqual([])
  })

  // A trigger of whoever holds a service_role key must not plant a session in an administrator's browser.
  it('answer without what a trigger set of status, headers and cookies', async () => {
    const { status, headers } = await asAdmin('POST', `/api/db/${p}_kept`, { body: { id: 1 } })
    expect([status, headers.get('set-cookie'), headers.get('x-own')]).toEqual([201, null, null])
  })
})

it("lets the dashboard's page send what the data API reads, and read what it answers", async () => {
  const origin = new URL(stack.dashboard_url).origin
  const names = ['accept', 'accept-profile', 'content-profile', 'content-type', 'prefer', 'range']
  const preflight = await fetch(stack.base_url + table, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': names.join(','),
    },
  })
  expect(preflight.headers.get('access-control-allow-headers')?.split(/, ?/)).toEqual(names)
  const { headers } = await asAdmin('GET', table, { headers: { origin } })
  const exposed = headers.get('access-control-expose-headers')?.toLowerCase().split(/, ?/)
  for (const name of ['content-range', 'content-profile', 'location', 'preference-applied', 'x-request-id'])
    expect(exposed).toContain(name)
})

it.each(['GET', 'POST', 'PATCH', 'DELETE'])('%s /api/db/:table is not for members', async method => {
  expect(await memberOutcome(method, table)).toEqual([403, 'admin_required'])
})
