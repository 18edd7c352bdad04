// What only our own permission server promises: a token before writing, namespaces that follow their file, a restart
// that nobody notices, limits, and reads that its indexes carry. Never runs against a real one.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Configuration, RelationshipApi } from '@ory/keto-client'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  allowed,
  ask,
  change,
  given,
  type LocalPermissions,
  listAll,
  openLocalPermissions,
  query,
  tuple,
} from '../../../test/support/permission-server.ts'
import { startPermissionServer } from '../../permission-server/server.ts'
import { PermissionServerSettings } from '../../permission-server/settings.ts'
import { listStatement } from '../../permission-server/tuple-store.ts'
import { readSettings } from '../../service/settings.ts'

const TUPLES = '/admin/relation-tuples'

describe('the token of the write port', () => {
  const token = 'a token of the write port'
  let server: LocalPermissions

  beforeAll(async () => {
    server = await openLocalPermissions({ writeToken: token })
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  it.for([
    {},
    { authorization: 'Bearer ' },
    { authorization: `Bearer ${token}x` },
    { authorization: `Basic ${token}` },
    { authorization: token },
  ] as Record<string, string>[])('is wanted for every change: %o', async headers => {
    for (const [method, json] of [
      ['PUT', tuple('Project:p#owner@ann')],
      ['PATCH', []],
      ['DELETE', undefined],
      ['GET', undefined],
    ] as const) {
      const { status, body } = await ask(`${server.writeUrl}${TUPLES}?namespace=Project`, {
        method,
        json,
        headers,
      })
      expect(status, method).toBe(401)
      expect(body.error).toMatchObject({ code: 401, status: 'Unauthorized' })
    }
    const json = tuple('Project:p#owner@ann')
    const doubled = await ask(`${server.writeUrl}//admin/relation-tuples`, { method: 'PUT', json, headers })
    expect([401, 404]).toContain(doubled.status)
    expect(await listAll(server, {})).toEqual([])
  })

  it("opens the port to Ory's client with an access token, and answers 401 without", async () => {
    const writer = (more: object) =>
      new RelationshipApi(new Configuration({ basePath: server.writeUrl, ...more }))
    const createRelationshipBody = tuple('Project:client#owner@ann')
    const withHeader = { baseOptions: { headers: { authorization: `Bearer ${token}` } } }
    const created = await writer(withHeader).createRelationship({ createRelationshipBody })
    expect(created.status).toBe(201)
    await expect(writer({}).createRelationship({ createRelationshipBody })).rejects.toMatchObject({
      response: { status: 401 },
    })
    const query = { namespace: 'Project', object: 'client' }
    expect((await writer(withHeader).deleteRelationships(query)).status).toBe(204)
  })

  it('opens the port to its bearer; health and the other ports want none', async () => {
    const headers = { authorization: `bearer ${token}` }
    const json = tuple('Project:p#owner@ann')
    expect((await ask(server.writeUrl + TUPLES, { method: 'PUT', json, headers })).status).toBe(201)
    expect((await ask(`${server.writeUrl}/health/ready`)).status).toBe(200)
    expect((await ask(`${server.writeUrl}/version`)).status).toBe(200)
    expect(await allowed(server, 'Project:p#view@ann')).toBe(true)
    const removed = await ask(`${server.writeUrl}${TUPLES}?namespace=Project`, { method: 'DELETE', headers })
    expect(removed.status).toBe(204)
  })
})

describe('the permission file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-namespaces-'))
  const path = join(folder, 'namespaces.ts')
  let time = Date.now() / 1000
  let server: LocalPermissions

  /** With a time of its own: a file may be written twice within one tick of the file system's clock. */
  function write(text: string): void {
    writeFileSync(path, text)
    time += 1
    utimesSync(path, time, time)
  }
  const named = async () => (await ask(`${server.readUrl}/namespaces`)).body.namespaces

  beforeAll(async () => {
    write('class User implements Namespace {}')
    server = await openLocalPermissions({ namespacesFile: path })
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  it('is in force as soon as it changed, permits included', async () => {
    await given(server, 'User:u#likes@ann')
    expect(await allowed(server, 'User:u#likes@ann')).toBe(true)
    write(
      'class Doc implements Namespace { related: { likes: Doc[] } ' +
        'permits = { like: (ctx) => this.related.likes.includes(ctx.subject) } }',
    )
    expect(await named()).toEqual([{ name: 'Doc' }])
    await given(server, 'Doc:d#likes@ann')
    expect(await allowed(server, 'Doc:d#like@ann')).toBe(true)
    expect(await ask(`${server.readUrl}/relation-tuples/check?${query('User:u#likes@ann')}`)).toMatchObject({
      status: 403,
    })
    const kept = await listAll(server, { subject_id: 'ann' })
    expect(kept).toHaveLength(2)
  })

  it('stays in force when it gets errors or goes away, with one line of complaint each', async () => {
    write('class Doc implements Namespace {}')
    expect(await named()).toEqual([{ name: 'Doc' }])
    const complaints = vi.spyOn(console, 'error').mockImplementation(() => {})
    try {
      write('class Doc implements Namespace { related: { a: Nobody[] } }')
      for (const _ of [1, 2]) expect(await named()).toEqual([{ name: 'Doc' }])
      rmSync(path)
      for (const _ of [1, 2]) expect(await named()).toEqual([{ name: 'Doc' }])
      expect(complaints.mock.calls).toEqual([
        [expect.stringContaining(`${path}:1:`)],
        [expect.stringContaining('ENOENT')],
      ])
    } finally {
      complaints.mockRestore()
    }
    write('class Other implements Namespace {}')
    expect(await named()).toEqual([{ name: 'Other' }])
  })

  it('must be whole at the start', async () => {
    for (const text of ['class Doc', undefined]) {
      const namespacesFile = join(folder, 'bad.ts')
      if (text === undefined) rmSync(namespacesFile)
      else writeFileSync(namespacesFile, text)
      await expect(openLocalPermissions({ namespacesFile })).rejects.toThrow(namespacesFile)
    }
  })
})

describe('across a restart', () => {
  it('tuples and page tokens go on, and a token of another secret does not', async () => {
    await using before = await openLocalPermissions()
    await given(before, 'Project:p#owner@ann', 'Project:p#owner@bob', 'Project:p#owner@eve')
    const { body } = await ask(`${before.readUrl}/relation-tuples?page_size=2`)
    // As long as a real Keto's, which bounds of clients must let through.
    expect(body.next_page_token.length).toBeGreaterThanOrEqual(764)
    const after = await before.restart()
    const next = `/relation-tuples?page_token=${body.next_page_token}`
    const rest = await ask(after.readUrl + next)
    expect(rest.body.relation_tuples).toHaveLength(1)
    expect([...body.relation_tuples, ...rest.body.relation_tuples]).toHaveLength(3)
    const other = await before.restart({ pageTokenSecret: randomBytes(24).toString('hex') })
    expect((await ask(other.readUrl + next)).status).toBe(400)
    expect(await allowed(other, 'Project:p#edit@eve')).toBe(true)
  })
})

describe('limits', () => {
  let server: LocalPermissions

  beforeAll(async () => {
    server = await openLocalPermissions()
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  it('refuses a body over 16 MiB, and a null in a list and a short page token instead of breaking', async () => {
    const json = { ...tuple('Project:p#owner@ann'), object: 'x'.repeat(17 * 1024 * 1024) }
    expect((await ask(server.writeUrl + TUPLES, { method: 'PUT', json })).status).toBe(413)
    const good = change('insert', 'Project:p#owner@ann')
    for (const list of [[null], [good, null]])
      expect((await ask(server.writeUrl + TUPLES, { method: 'PATCH', json: list })).status).toBe(400)
    expect(await listAll(server, { object: 'p' })).toEqual([])
    expect((await ask(`${server.readUrl}/relation-tuples?page_token=AAAA`)).status).toBe(400)
    const batch = await ask(`${server.readUrl}/relation-tuples/batch/check`, { json: { tuples: [null] } })
    expect(batch.status).toBe(400)
  })

  it('refuses a permission text over 1 MiB: to read one takes longer than JSON', async () => {
    const check = (length: number) =>
      ask(`${server.syntaxUrl}/opl/syntax/check`, { raw: `//${'x'.repeat(length - 2)}` })
    expect(await check(1024 * 1024)).toMatchObject({ status: 200, body: {} })
    expect(await check(1024 * 1024 + 1)).toMatchObject({ status: 413, body: { error: { code: 413 } } })
  })

  it('ends a check over a web of parents with a clear error, in a batch for that item alone', async () => {
    const nodes = Array.from({ length: 13 }, (_, i) => `web${i}`)
    await given(
      server,
      ...nodes.flatMap(a => nodes.map(b => `Project:${a}#parent@(Project:${b}#)`)),
      'Project:q#owner@ann',
    )
    const line = `Project:${nodes[0]}#view@nobody`
    const found = await ask(`${server.readUrl}/relation-tuples/check?${query(line)}`)
    expect(found).toMatchObject({
      status: 422,
      body: { error: { message: 'The request could not be completed' } },
    })
    const batch = { tuples: [tuple(line), tuple('Project:q#view@ann')] }
    const { body } = await ask(`${server.readUrl}/relation-tuples/batch/check`, { json: batch })
    expect(body.results).toEqual([
      { allowed: false, error: 'The request could not be completed' },
      { allowed: true },
    ])
  })

  it('finds members of a relation with any number of subject sets, and says no to others', async () => {
    for (const part of [1, 2, 3]) {
      const lines = Array.from(
        { length: 7_000 },
        (_, i) => `Project:wide#viewer@(Organization:${part}.${i}#member)`,
      )
      await given(server, ...lines)
    }
    await given(server, 'Project:wide#viewer@ann', 'Organization:3.6999#member@bob')
    const people = ['ann', 'bob', 'nobody']
    const found = await Promise.all(people.map(id => allowed(server, `Project:wide#view@${id}`)))
    expect(found).toEqual([true, true, false])
    const batch = { tuples: [tuple('Project:wide#view@nobody'), tuple('Project:wide#viewer@ann')] }
    const { body } = await ask(`${server.readUrl}/relation-tuples/batch/check`, { json: batch })
    expect(body.results).toEqual([{ allowed: false }, { allowed: true }])
  })

  it('ends a traversal of more than 20 000 parents, unless one of the first says yes', async () => {
    for (const part of [1, 2, 3]) {
      const lines = Array.from({ length: 7_000 }, (_, i) => `Project:child#parent@(Project:${part}.${i}#)`)
      await given(server, ...lines)
    }
    await given(server, 'Project:1.0#owner@ann')
    expect(await allowed(server, 'Project:child#view@ann')).toBe(true)
    const no = await ask(`${server.readUrl}/relation-tuples/check?${query('Project:child#view@nobody')}`)
    expect(no).toMatchObject({ status: 422 })
  })

  it('ends a tree of more than 20 000 subjects with a clear error', async () => {
    for (const part of [1, 2, 3]) {
      const lines = Array.from({ length: 7_000 }, (_, i) => `Organization:huge#member@person${part}.${i}`)
      await given(server, ...lines)
    }
    const tree = await ask(
      `${server.readUrl}/relation-tuples/expand?namespace=Organization&object=huge&relation=member`,
    )
    expect(tree).toMatchObject({ status: 422 })
    expect(await allowed(server, 'Organization:huge#member@person3.6999')).toBe(true)
  })
})

describe('the database', () => {
  it('finds subjects, sets, objects and relations by an index', async () => {
    await using server = await openLocalPermissions()
    const ids = Array.from({ length: 10_000 }, (_, i) => i)
    const lines = ids.map(i => `Project:p${i % 10}#${i % 3 ? 'viewer' : 'owner'}@person${i}`)
    await given(server, ...lines)
    const client = new Client({ connectionString: server.settings.databaseUrl })
    await client.connect()
    try {
      await client.query('analyze relation_tuples')
      for (const [index, filter] of [
        ['of_subject', { subject_id: 'person77' }],
        ['of_subject', { subject_set: { namespace: 'Project', object: 'p1', relation: 'owner' } }],
        ['members', { namespace: 'Project', object: 'p1', relation: 'none' }],
        ['of_relation', { namespace: 'User', relation: 'owner' }],
        ['of_object', { object: 'p1' }],
      ] as const) {
        const { sql, params } = listStatement(filter, '', 501)
        const { rows } = await client.query(`explain ${sql}`, params)
        const plan = rows.map(row => row['QUERY PLAN']).join('\n')
        expect(plan, JSON.stringify(filter)).toContain(` relation_tuples_${index} `)
      }
    } finally {
      await client.end()
    }
    expect(await listAll(server, { namespace: 'Project', page_size: '500' })).toHaveLength(ids.length)
  })

  it('may fail: each answer is a 500 then, and the next one is right again', async () => {
    await using server = await openLocalPermissions()
    const line = 'Project:p#owner@ann'
    await given(server, line)
    const client = new Client({ connectionString: server.settings.databaseUrl })
    await client.connect()
    const complaints = vi.spyOn(console, 'error').mockImplementation(() => {})
    try {
      await client.query('alter table relation_tuples rename to away')
      const check = `${server.readUrl}/relation-tuples/check`
      for (const url of [`${check}?${query(line)}`, `${server.readUrl}/relation-tuples?${query(line)}`])
        expect(await ask(url)).toMatchObject({ status: 500, body: { error: { code: 500 } } })
      const { body } = await ask(`${server.readUrl}/relation-tuples/batch/check`, {
        json: { tuples: [tuple(line)] },
      })
      expect(body.results).toEqual([{ allowed: false, error: 'Internal Server Error' }])
      await client.query('alter table away rename to relation_tuples')
      expect(await allowed(server, line)).toBe(true)
    } finally {
      complaints.mockRestore()
      await client.end()
    }
  })

  it('takes two calls of 500 inserts at once, and 500 deletes of two copies each', async () => {
    await using server = await openLocalPermissions()
    const json = Array.from({ length: 500 }, (_, i) => change('insert', `Project:p#viewer@person${i}`))
    const calls = [1, 2].map(() => ask(server.writeUrl + TUPLES, { method: 'PATCH', json }))
    for (const { status } of await Promise.all(calls)) expect(status).toBe(204)
    expect(await listAll(server, { object: 'p', page_size: '500' })).toHaveLength(1000)
    const gone = json.map(({ relation_tuple }) => change('delete', relation_tuple))
    expect((await ask(server.writeUrl + TUPLES, { method: 'PATCH', json: gone })).status).toBe(204)
    expect(await listAll(server, { object: 'p' })).toEqual([])
  })
})

describe('starting the permission server', () => {
  const env = {
    PERMISSION_SERVER_DATABASE_URL: 'postgresql://127.0.0.1:1/none',
    PERMISSION_SERVER_READ_PORT: '0',
    PERMISSION_SERVER_WRITE_PORT: '0',
    PERMISSION_SERVER_SYNTAX_PORT: '0',
    PERMISSION_SERVER_PAGE_TOKEN_SECRET: 'sixteen characters or more',
  }

  const read = (given: Record<string, string>) =>
    readSettings(PermissionServerSettings, 'PERMISSION_SERVER_', given)

  it('needs all of its settings but the token and the file', () => {
    expect(read(env)).toMatchObject({
      readPort: 0,
      depthMax: 10,
      namespacesFile: expect.stringMatching(/permissions\/namespaces\.ts$/),
    })
    for (const name of Object.keys(env)) expect(() => read({ ...env, [name]: ' ' })).toThrow(name)
    for (const port of ['x', '-1', '65536'])
      expect(() => read({ ...env, PERMISSION_SERVER_READ_PORT: port })).toThrow('READ_PORT')
    for (const depth of ['x', '0', '65536', '1.5'])
      expect(() => read({ ...env, PERMISSION_SERVER_DEPTH_MAX: depth })).toThrow('DEPTH_MAX')
  })

  it('refuses a short secret, a database that is not there and a port that is taken', async () => {
    const settings = read(env)
    await expect(startPermissionServer({ ...settings, pageTokenSecret: 'short' })).rejects.toThrow('16')
    await expect(startPermissionServer(settings)).rejects.toThrow(/ECONNREFUSED/)
    await using server = await openLocalPermissions()
    const syntaxPort = Number(new URL(server.readUrl).port)
    await expect(startPermissionServer({ ...server.settings, syntaxPort })).rejects.toThrow('EADDRINUSE')
  })
})
