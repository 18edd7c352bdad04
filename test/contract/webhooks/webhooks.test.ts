// Making, changing and deleting webhooks, and what bad input gets. What is delivered is in webhooks-delivery.test.ts;
// who may call is in the tests of the route table.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { Webhook } from '../../../src/features/webhooks/schemas.ts'
import { connectOwner } from '../../support/postgres.ts'
import { asOwner, freshPrefix } from '../data-api/caller.ts'
import { atTheEnd, makeTable, makeWebhook, tidyUp, webhooks, webhookViews } from './caller.ts'

/** Nobody listens there, and nothing is sent in this file. */
const URL_OF_NOBODY = 'http://127.0.0.1:9/hook'
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

let table: string
beforeAll(async () => {
  table = await makeTable()
})
afterAll(tidyUp)

const fields = (overrides: object = {}) => ({
  name: 'a webhook',
  table_name: table,
  events: ['INSERT'],
  url: URL_OF_NOBODY,
  ...overrides,
})

/** The events whose triggers are on a table. */
async function watchedEvents(name: string): Promise<string[]> {
  await using db = await connectOwner()
  const { rows } = await db.query<{ event: string }>(
    `select upper(substring(tgname from '^!quoin_([a-z]+)_')) as event from pg_trigger
      where tgrelid = $1::regclass and tgname ~ '^!quoin_' order by 1`,
    [name],
  )
  return rows.map(row => row.event)
}

async function newestAuditRow(id: string, action: string) {
  await using db = await connectOwner()
  const { rows } = await db.query(
    'select * from quoin.audit_logs where target_id = $1 and action = $2 order by created_at desc limit 1',
    [id, action],
  )
  return rows[0]
}

describe('POST /api/webhooks', () => {
  it('makes a webhook with the defaults of the specification, and watches the table', async () => {
    const own = await makeTable()
    const { status, json } = await webhooks('POST', '', fields({ table_name: own }))
    expect(status).toBe(201)
    expect(Webhook.strict().parse(json)).toMatchObject({
      name: 'a webhook',
      table_schema: 'public',
      table_name: own,
      table_watched: true,
      events: ['INSERT'],
      url: URL_OF_NOBODY,
      headers: {},
      active: true,
      has_secret: false,
      fail_count: 0,
      state: 'healthy',
    })
    expect(await watchedEvents(own)).toEqual(['INSERT'])
    await webhooks('DELETE', `/${json['id']}`)
  })

  it('keeps and shows the URL as it is called', async () => {
    const id = await makeWebhook(fields({ url: '  HTTP://@127.0.0.1:9/a\n/b\tc?q=ü#d ' }))
    const shown = async () => (await webhooks('GET', `/${id}`)).json['url']
    expect(await shown()).toBe('http://127.0.0.1:9/a/bc?q=%C3%BC#d')
    await webhooks('PATCH', `/${id}`, { url: '\nhttp://127.0.0.1:9' })
    expect(await shown()).toBe('http://127.0.0.1:9/')
    expect((await webhooks('PATCH', `/${id}`, { name: 'other' })).json['url']).toBe('http://127.0.0.1:9/')
  })

  it('never shows the secret and values of headers again, and keeps them encrypted', async () => {
    const id = await makeWebhook(fields({ secret: SECRET, headers: { Authorization: 'Bearer hush' } }))
    const answers = [
      await webhooks('GET', `/${id}`),
      await webhooks('GET', ''),
      await webhooks('PATCH', `/${id}`, { secret: `${SECRET}AAAA` }),
      await webhookViews(),
      await webhookViews(`/${id}`),
    ]
    for (const { text } of answers)
      expect([text.includes(SECRET), text.includes('hush')]).toEqual([false, false])
    expect(answers[0]?.json).toMatchObject({ has_secret: true, headers: { Authorization: '[secret]' } })
    await using db = await connectOwner()
    const { rows } = await db.query('select * from quoin.webhooks where id = $1', [id])
    expect(JSON.stringify(rows)).not.toMatch(/whsec_|hush/)
    expect(rows[0].secret_encrypted).toMatch(/^v1\./)
  })

  it('writes down who made it, without secrets and values of headers', async () => {
    const id = await makeWebhook(fields({ secret: SECRET, headers: { Authorization: 'Bearer hush' } }))
    await webhooks('PATCH', `/${id}`, { secret: 'another one' })
    const created = await newestAuditRow(id, 'webhooks.create')
    expect(created).toMatchObject({
      outcome: 'succeeded',
      actor_id: inject('stack').user_identity_id,
      after: { headers: { Authorization: '[secret]' }, has_secret: true },
    })
    const updated = await newestAuditRow(id, 'webhooks.update')
    expect(updated).toMatchObject({ after: { secret: '[secret]' } })
    expect(JSON.stringify([created, updated])).not.toMatch(/whsec_|hush|another one/)
  })

  it('takes tables of other schemas, quoted names and partitioned tables', async () => {
    const schema = `${freshPrefix()} "Other" Schema`
    const quoted = `"${schema.replaceAll('"', '""')}"`
    atTheEnd(`drop schema ${quoted} cascade`)
    await asOwner(`create schema ${quoted};
      create table ${quoted}."My ""Table""" (id int primary key);
      create table ${quoted}.parted (id int primary key) partition by range (id);
      create table ${quoted}.part_one partition of ${quoted}.parted for values from (0) to (100)`)
    for (const [name, text] of [
      ['My "Table"', `${quoted}."My ""Table"""`],
      ['parted', `${quoted}.parted`],
    ] as const) {
      const id = await makeWebhook(
        fields({ table_schema: schema, table_name: name, events: ['UPDATE', 'DELETE'] }),
      )
      expect((await webhooks('GET', `/${id}`)).json).toMatchObject({ table_schema: schema, table_name: name })
      expect(await watchedEvents(text)).toEqual(['DELETE', 'UPDATE'])
    }
  })

  it.each<[string, object, string]>([
    ['no name', { name: undefined }, 'body.name'],
    ['an empty name', { name: '  ' }, 'body.name'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'body.name'],
    ['a name with a line break', { name: 'a\nb' }, 'body.name'],
    ['no table', { table_name: undefined }, 'body.table_name'],
    ['a table name that Postgres would cut', { table_name: 'x'.repeat(64) }, 'body.table_name'],
    ['no events', { events: undefined }, 'body.events'],
    ['an empty list of events', { events: [] }, 'body.events: must name at least one of INSERT'],
    ['events that are no list', { events: 'INSERT' }, 'body.events: must be a list'],
    ['an unknown event', { events: ['TRUNCATE'] }, 'body.events.0: must be INSERT, UPDATE or DELETE'],
    ['an event in lower case', { events: ['insert'] }, 'body.events.0: must be .*, in upper case'],
    ['an event twice', { events: ['INSERT', 'INSERT'] }, 'body.events: must name each event once'],
    ['no URL', { url: undefined }, 'body.url'],
    ['what is no URL', { url: 'example.com/hook' }, 'body.url'],
    ['another scheme', { url: 'ftp://example.com/' }, 'body.url'],
    ['a script', { url: 'javascript:alert(1)' }, 'body.url'],
    ['a URL with credentials', { url: 'https://me:secret@example.com/' }, 'body.url'],
    ['a URL of 2 100 characters', { url: `https://example.com/${'x'.repeat(2_080)}` }, 'body.url'],
    ['a URL that normalised is too long', { url: `https://example.com/${'ü'.repeat(400)}` }, 'body.url'],
    ['a hop-by-hop header', { headers: { Connection: 'close' } }, 'body.headers'],
    ['a header of the framing', { headers: { 'content-length': '1' } }, 'body.headers'],
    ['a header of ours', { headers: { 'X-Service-Signature': 'x' } }, 'body.headers'],
    ['a header of the standard', { headers: { 'Webhook-Id': 'x' } }, 'body.headers'],
    ['a header with a line break', { headers: { 'X-A': 'a\r\nX-B: b' } }, 'body.headers'],
    ['a header name with a blank', { headers: { 'X A': 'a' } }, 'body.headers'],
    ['a header that is no text', { headers: { 'X-A': 1 } }, 'body.headers.X-A'],
    ['a header that a record loses', { headers: JSON.parse('{"__proto__": "a"}') }, 'body.headers'],
    ['headers that are no object', { headers: 'X-A: 1' }, 'body.headers'],
    ['what stands for a stored value', { headers: { 'X-A': '[secret]' } }, 'body.headers'],
    ['a header twice', { headers: { 'X-A': '1', 'x-a': '2' } }, 'body.headers'],
    [
      '51 headers',
      { headers: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`x-${n}`, 'a'])) },
      'body.headers',
    ],
    ['headers of 9 000 characters', { headers: { 'X-A': 'a'.repeat(9_000) } }, 'body.headers'],
    ['an empty secret', { secret: '' }, 'body.secret'],
    ['a secret of 257 characters', { secret: 'x'.repeat(257) }, 'body.secret'],
    ['a whsec_ that is no base64', { secret: 'whsec_not base64!' }, 'body.secret'],
    ['an active that is no boolean', { active: 'yes' }, 'body.active'],
    ['a field that there is not', { fail_count: 3 }, 'body'],
  ])('refuses %s, and says where', async (_name, overrides, beginning) => {
    const { status, json } = await webhooks('POST', '', fields(overrides))
    expect([status, json['code']]).toEqual([400, 'validation_failed'])
    expect(String(json['error'])).toMatch(new RegExp(`^${beginning}\\b`))
  })

  it.each<[string, object, RegExp]>([
    [
      'a table that does not exist',
      { table_name: 'no_such_table' },
      /"public"\."no_such_table".* does not exist/,
    ],
    ['a schema that does not exist', { table_schema: 'no_such_schema' }, /does not exist/],
    ['a name in quotes', { table_name: 'to"do' }, /"public"\."to""do" .* does not exist/],
    ["Quoin's own", { table_schema: 'quoin', table_name: 'webhooks' }, /platform/],
    ['the outbox', { table_schema: 'quoin', table_name: 'row_events' }, /platform/],
    ["Postgres' own", { table_schema: 'pg_catalog', table_name: 'pg_class' }, /platform/],
    ['the migrations', { table_name: 'pgmigrations' }, /platform/],
    ['a view', { table_schema: 'information_schema', table_name: 'tables' }, /platform/],
  ])('watches no %s', async (_name, overrides, words) => {
    const { status, json } = await webhooks('POST', '', fields(overrides))
    expect([status, json['code']]).toEqual([422, 'table_not_watchable'])
    expect(json['error']).toMatch(words)
  })

  it('names the table that was probably meant', async () => {
    const { json } = await webhooks('POST', '', fields({ table_name: `${table}s` }))
    expect(json['hint']).toContain(`"${table}"`)
  })

  it('says where the schema belongs when it stands before the name', async () => {
    const { json } = await webhooks('POST', '', fields({ table_name: `public.${table}` }))
    expect(json['hint']).toMatch(new RegExp(`table_schema \\("public"\\).*table_name .*\\("${table}"\\)`))
  })

  it('leaves nothing behind when the table stays locked', { timeout: 40_000 }, async () => {
    const own = await makeTable()
    await using db = await connectOwner()
    await db.query(`begin; lock table ${own} in access exclusive mode`)
    const name = randomUUID()
    const { status, json } = await webhooks('POST', '', fields({ name, table_name: own }))
    await db.query('rollback')
    expect([status, json['code']]).toEqual([409, 'table_busy'])
    const { rows } = await db.query('select from quoin.webhooks where name = $1', [name])
    expect(rows).toEqual([])
    expect(await watchedEvents(own)).toEqual([])
  })
})

describe('GET /api/webhooks', () => {
  it('lists every webhook once, newest first, over pages', async () => {
    const ids = [await makeWebhook(fields()), await makeWebhook(fields()), await makeWebhook(fields())]
    const seen: string[] = []
    let cursor = ''
    do {
      const { status, json } = await webhooks('GET', `?limit=2${cursor}`)
      expect(status).toBe(200)
      seen.push(...(json['data'] as { id: string }[]).map(webhook => webhook.id))
      cursor =
        json['next_cursor'] === null ? '' : `&cursor=${encodeURIComponent(String(json['next_cursor']))}`
    } while (cursor !== '')
    expect(seen.filter(id => ids.includes(id))).toEqual(ids.toReversed())
  })

  it.each(['?limit=0', '?limit=1001', '?cursor=x', '?nonsense=1'])('refuses %s', async query => {
    expect((await webhooks('GET', query)).status).toBe(400)
  })
})

describe('every view of a webhook', () => {
  async function shown(id: string): Promise<unknown[]> {
    const pages = [(await webhooks('GET', '')).json, (await webhookViews()).json]
    const listed = pages
      .flatMap(({ data }) => data as Record<string, unknown>[])
      .filter(one => one['id'] === id)
    const records = [...listed, (await webhooks('GET', `/${id}`)).json, (await webhookViews(`/${id}`)).json]
    return records.map(({ table_name, table_watched }) => [table_name, table_watched])
  }

  it('has the name that its table has now, and says whether there still is one', async () => {
    const own = await makeTable()
    const id = await makeWebhook(fields({ table_name: own }))
    await asOwner(`alter table ${own} rename to ${own}_renamed`)
    atTheEnd(`drop table if exists ${own}_renamed`)
    expect(await shown(id)).toEqual(Array(4).fill([`${own}_renamed`, true]))
    await webhooks('PATCH', `/${id}`, { name: 'saved under the new name' })
    await asOwner(`drop table ${own}_renamed`)
    expect(await shown(id)).toEqual(Array(4).fill([`${own}_renamed`, false]))
  })
})

describe('PATCH /api/webhooks/:id', () => {
  it('changes what was sent and nothing else', async () => {
    const id = await makeWebhook(fields({ secret: SECRET, headers: { 'X-A': '1' } }))
    const { json: before } = await webhooks('GET', `/${id}`)
    const { status, json } = await webhooks('PATCH', `/${id}`, { name: 'another', headers: { 'X-B': '2' } })
    expect(status).toBe(200)
    const { updated_at, statistics, ...rest } = before
    expect(json).toEqual({
      ...rest,
      name: 'another',
      headers: { 'X-B': '[secret]' },
      updated_at: expect.any(String),
    })
    expect(Date.parse(String(json['updated_at']))).toBeGreaterThan(Date.parse(String(updated_at)))
  })

  it('takes the secret away with null, and keeps it when it is left out', async () => {
    const id = await makeWebhook(fields({ secret: SECRET }))
    expect((await webhooks('PATCH', `/${id}`, { active: false })).json).toMatchObject({ has_secret: true })
    expect((await webhooks('PATCH', `/${id}`, { secret: null })).json).toMatchObject({ has_secret: false })
  })

  it('watches what the webhooks of a table want together, paused ones included', async () => {
    const own = await makeTable()
    const one = await makeWebhook(fields({ table_name: own, events: ['INSERT'] }))
    const two = await makeWebhook(fields({ table_name: own, events: ['INSERT', 'DELETE'], active: false }))
    expect(await watchedEvents(own)).toEqual(['DELETE', 'INSERT'])
    await webhooks('PATCH', `/${two}`, { events: ['UPDATE'] })
    expect(await watchedEvents(own)).toEqual(['INSERT', 'UPDATE'])
    await webhooks('DELETE', `/${one}`)
    expect(await watchedEvents(own)).toEqual(['UPDATE'])
    await webhooks('DELETE', `/${two}`)
    expect(await watchedEvents(own)).toEqual([])
  })

  it('moves to another table and lets go of the first', async () => {
    const [first, second] = [await makeTable(), await makeTable()]
    const id = await makeWebhook(fields({ table_name: first }))
    expect((await webhooks('PATCH', `/${id}`, { table_name: second })).json).toMatchObject({
      table_name: second,
    })
    expect([await watchedEvents(first), await watchedEvents(second)]).toEqual([[], ['INSERT']])
  })

  it('watches the table that has the name now, not the one that had it before a rename', async () => {
    const own = await makeTable()
    const id = await makeWebhook(fields({ table_name: own }))
    await asOwner(`alter table ${own} rename to ${own}_renamed`)
    atTheEnd(`drop table if exists ${own}_renamed`)
    await webhooks('PATCH', `/${id}`, { events: ['DELETE'] })
    expect(await watchedEvents(`${own}_renamed`)).toEqual(['DELETE'])
    const { status, json } = await webhooks('PATCH', `/${id}`, { table_name: own })
    expect([status, json['code']]).toEqual([422, 'table_not_watchable'])
    await asOwner(`create table ${own} (id int)`)
    expect((await webhooks('PATCH', `/${id}`, { table_name: own })).json).toMatchObject({ table_name: own })
    expect([await watchedEvents(own), await watchedEvents(`${own}_renamed`)]).toEqual([['DELETE'], []])
  })

  it('watches a table that was dropped and made again as soon as it is named', async () => {
    const own = await makeTable()
    const id = await makeWebhook(fields({ table_name: own }))
    await asOwner(`drop table ${own}`)
    expect((await webhooks('PATCH', `/${id}`, { active: false })).json).toMatchObject({
      table_watched: false,
    })
    await asOwner(`create table ${own} (id int)`)
    expect((await webhooks('PATCH', `/${id}`, { table_name: own })).json).toMatchObject({
      table_watched: true,
    })
    expect(await watchedEvents(own)).toEqual(['INSERT'])
  })

  it('says of a patch of unknown fields only that they are unknown', async () => {
    const { json } = await webhooks('PATCH', `/${await makeWebhook(fields())}`, { fail_count: 0 })
    expect(json).toMatchObject({ error: expect.stringContaining('"fail_count"'), detail: null })
  })

  it.each<[string, object, number, string]>([
    ['nothing', {}, 400, 'validation_failed'],
    ['a field that is not to be changed', { fail_count: 0 }, 400, 'validation_failed'],
    ['a bad URL', { url: 'ftp://x/' }, 400, 'validation_failed'],
    ['no events', { events: [] }, 400, 'validation_failed'],
    ['null for a name', { name: null }, 400, 'validation_failed'],
    ['an unknown table', { table_name: 'no_such_table' }, 422, 'table_not_watchable'],
  ])('refuses %s', async (_name, patch, expected, code) => {
    const id = await makeWebhook(fields())
    const { status, json } = await webhooks('PATCH', `/${id}`, patch)
    expect([status, json['code']]).toEqual([expected, code])
  })
})

describe('DELETE /api/webhooks/:id', () => {
  it('answers 204 once and 404 from then on', async () => {
    const id = await makeWebhook(fields())
    expect(await webhooks('DELETE', `/${id}`)).toMatchObject({ status: 204, text: '' })
    expect(await webhooks('DELETE', `/${id}`)).toMatchObject({ status: 404, json: { code: 'not_found' } })
    expect((await webhooks('GET', `/${id}`)).status).toBe(404)
  })

  it('works for a webhook whose table was dropped', async () => {
    const own = await makeTable()
    const id = await makeWebhook(fields({ table_name: own }))
    await asOwner(`drop table ${own}`)
    expect((await webhooks('DELETE', `/${id}`)).status).toBe(204)
  })
})

describe.each([
  ['GET', ''],
  ['PATCH', ''],
  ['DELETE', ''],
  ['POST', '/test'],
  ['GET', '/logs'],
  ['POST', `/replay/${randomUUID()}`],
  ['POST', '/replay-failed'],
  ['GET', '/dead-letters'],
  ['POST', `/dead-letters/${randomUUID()}/replay`],
])('%s /api/webhooks/:id%s', (method, path) => {
  const body = {
    PATCH: { active: true },
    POST: path === '/replay-failed' ? { since: '2030-01-01T00:00:00Z' } : undefined,
  }
  const ask = (id: string) =>
    webhooks(
      method,
      `/${id}${path}`,
      method === 'PATCH' ? body.PATCH : method === 'POST' ? body.POST : undefined,
    )

  it('answers 404 for a webhook that there is not', async () => {
    expect(await ask(randomUUID())).toMatchObject({ status: 404, json: { code: 'not_found' } })
  })

  it('answers 400 for what is no id', async () => {
    expect(await ask('not-an-id')).toMatchObject({ status: 400, json: { code: 'invalid_parameter' } })
  })
})
