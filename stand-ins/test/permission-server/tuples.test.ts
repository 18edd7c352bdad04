// Lists of tuples and writing them, routes and the syntax check: the Keto wire, by public HTTP only. Runs against our
// own server, or a real one (test/support/permission-server.ts).

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  allowed,
  ask,
  change,
  given,
  listAll,
  openPermissions,
  type Permissions,
  query,
  tuple,
  unique,
} from '../../../test/support/permission-server.ts'

let server: Permissions
let listUrl: string
let adminUrl: string

beforeAll(async () => {
  server = await openPermissions()
  listUrl = `${server.readUrl}/relation-tuples`
  adminUrl = `${server.writeUrl}/admin/relation-tuples`
})
afterAll(() => server?.[Symbol.asyncDispose]())

const refused = (status: number) => ({ status, body: { error: { code: status } } })

async function remaining(object: string): Promise<string[]> {
  const found = await listAll(server, { object })
  return found
    .map(
      ({ relation, subject_id, subject_set: set }) =>
        `${relation}@${subject_id ?? `${set?.object}#${set?.relation}`}`,
    )
    .sort()
}

function patch(json: unknown) {
  return ask(adminUrl, { method: 'PATCH', json })
}

describe('a list', () => {
  it('filters by every part, alone and together, in all namespaces unless told', async () => {
    const [p, o, ann] = [unique('p'), unique('o'), unique('ann')]
    const lines = [
      `Project:${p}#owner@${ann}`,
      `Project:${p}#viewer@${ann}`,
      `User:${p}#likes@${ann}`,
      `Project:${p}#viewer@(Organization:${o}#member)`,
      `Organization:${o}#member@${ann}`,
    ]
    await given(server, ...lines)
    const set = { 'subject_set.namespace': 'Organization', 'subject_set.object': o }
    for (const [filter, expected] of [
      [{ subject_id: ann }, [0, 1, 2, 4]],
      [{ subject_id: ann, namespace: 'Project' }, [0, 1]],
      [{ subject_id: ann, relation: 'member' }, [4]],
      [{ object: p }, [0, 1, 2, 3]],
      [{ object: p, namespace: 'User' }, [2]],
      [{ object: p, namespace: 'Project', relation: 'viewer' }, [1, 3]],
      [{ object: p, relation: 'viewer' }, [1, 3]],
      [{ object: p, namespace: 'Project', relation: 'viewer', subject_id: ann }, [1]],
      [{ ...set, 'subject_set.relation': 'member' }, [3]],
      [{ ...set, 'subject_set.relation': 'member', relation: 'owner' }, []],
      [{ ...set, 'subject_set.relation': '' }, []],
      [{ object: p, relation: '' }, []],
      [{ object: p, subject_id: '' }, []],
      [{ object: p, relation: 'view' }, []],
      [{ object: p, colour: 'red', namespace: 'Organization' }, []],
      [{ subject_id: `${ann}\0` }, []],
    ] as [Record<string, string>, number[]][]) {
      const found = await listAll(server, filter)
      const wanted = expected.map(i => tuple(lines[i] ?? ''))
      expect(found, JSON.stringify(filter)).toHaveLength(wanted.length)
      expect(found).toEqual(expect.arrayContaining(wanted))
    }
    const [first] = await listAll(server, { namespace: 'User', relation: 'likes', object: p })
    expect(first).toEqual(tuple(`User:${p}#likes@${ann}`))
  })

  it('comes in pages, whose token goes with any filter of the same kind and says when it is the last', async () => {
    const p = unique('p')
    const people = Array.from({ length: 7 }, (_, i) => `person${i}`)
    await given(server, ...people.map(id => `Project:${p}#viewer@${id}`))
    for (const [size, sizes] of [
      ['3', [3, 3, 1]],
      ['7', [7]],
      ['0', [7]],
      ['-4', [7]],
      ['', [7]],
      ['900', [7]],
    ] as const) {
      const found: number[] = []
      const seen = new Set<string | undefined>()
      let token = ''
      do {
        const { body } = await ask(`${listUrl}?object=${p}&page_size=${size}&page_token=${token}`)
        found.push(body.relation_tuples.length)
        for (const { subject_id } of body.relation_tuples) seen.add(subject_id)
        token = body.next_page_token
      } while (token !== '')
      expect(found, size).toEqual(sizes)
      expect(seen.size).toBe(people.length)
    }
    const { body } = await ask(`${listUrl}?object=${p}&page_size=2`)
    expect(body.next_page_token).toMatch(/^[\w-]+=*$/)
    const elsewhere = await ask(`${listUrl}?object=${unique('q')}&page_token=${body.next_page_token}`)
    expect(elsewhere).toMatchObject({ status: 200, body: { relation_tuples: [], next_page_token: '' } })
  })

  it('has pages of 100 unless told, and of 500 at most', async () => {
    const p = unique('p')
    await given(server, ...Array.from({ length: 510 }, (_, i) => `Project:${p}#viewer@person${i}`))
    for (const [size, count] of [
      ['', 100],
      ['500', 500],
      ['501', 500],
    ] as const) {
      const { body } = await ask(`${listUrl}?namespace=Project&object=${p}&page_size=${size}`)
      expect(body.relation_tuples).toHaveLength(count)
    }
    expect(await listAll(server, { namespace: 'Project', object: p })).toHaveLength(510)
  })

  it('refuses half a subject, a token or a size that is none, and an unknown namespace', async () => {
    for (const [filter, status] of [
      ['subject=x', 400],
      ['subject_set.object=o', 400],
      ['subject_id=a&subject_set.object=o', 400],
      ['page_token=x', 400],
      [`page_token=${'QUJD'.repeat(30)}`, 400],
      ['page_size=1.5', 400],
      ['namespace=Nowhere', 404],
      ['subject_set.namespace=Nowhere&subject_set.object=o&subject_set.relation=r', 404],
    ] as const)
      expect((await ask(`${listUrl}?${filter}`)).status, filter).toBe(status)
  })
})

describe('PUT', () => {
  it('stores the tuple, again when it is there already, twice', async () => {
    const [p, o] = [unique('p'), unique('o')]
    const line = `Project:${p}#viewer@(Organization:${o}#member)`
    for (const times of [1, 2]) {
      const { status, body } = await ask(adminUrl, { method: 'PUT', json: tuple(line) })
      expect({ status, body }).toEqual({ status: 201, body: tuple(line) })
      expect(await remaining(p)).toHaveLength(times)
    }
  })

  it('takes the id where both subjects are given, and echoes both', async () => {
    const p = unique('p')
    const json = {
      ...tuple(`Project:${p}#owner@ann`),
      subject_set: { namespace: 'Nowhere', object: 'o', relation: 'r' },
    }
    const { status, body } = await ask(adminUrl, { method: 'PUT', json })
    expect({ status, body }).toEqual({ status: 201, body: json })
    expect(await remaining(p)).toEqual(['owner@ann'])
  })

  it('refuses no subject first, then unknown namespaces, and nothing else', async () => {
    const p = unique('p')
    const { subject_id: _, ...noSubject } = tuple(`Nowhere:${p}#owner@ann`)
    expect(await ask(adminUrl, { method: 'PUT', json: noSubject })).toMatchObject(refused(400))
    for (const line of [`Nowhere:${p}#owner@ann`, `Project:${p}#owner@(Nowhere:o#r)`])
      expect(await ask(adminUrl, { method: 'PUT', json: tuple(line) })).toMatchObject(refused(404))
    for (const raw of ['', '{', 'hello', '[]', '{"namespace":5}', 'a=b'])
      expect((await ask(adminUrl, { method: 'PUT', raw })).status, raw).toBe(400)
    expect(await remaining(p)).toEqual([])
    for (const line of [`Project:${p}#chef@ann`, `Project:${p}#view@(Project:${p}#chef)`, `Project:${p}#@`])
      expect((await ask(adminUrl, { method: 'PUT', json: tuple(line) })).status, line).toBe(201)
  })
})

describe('DELETE', () => {
  it('removes what its filter matches, all copies of it, and is content with nothing', async () => {
    const [p, q] = [unique('p'), unique('q')]
    await given(
      server,
      ...[
        `Project:${p}#owner@ann`,
        `Project:${p}#owner@ann`,
        `Project:${p}#owner@bob`,
        `Project:${p}#viewer@ann`,
      ],
      ...[`Project:${p}#viewer@(Project:${q}#owner)`, `Project:${q}#owner@ann`],
    )
    const remove = async (filter: string) =>
      expect((await ask(`${adminUrl}?${filter}`, { method: 'DELETE' })).status).toBe(204)
    await remove(query(`Project:${p}#owner@ann`))
    expect(await remaining(p)).toEqual(['owner@bob', 'viewer@ann', `viewer@${q}#owner`])
    await remove(query(`Project:${p}#owner@ann`))
    await remove(`namespace=Project&object=${p}&subject_id=ann`)
    expect(await remaining(p)).toEqual(['owner@bob', `viewer@${q}#owner`])
    await remove(query(`Project:${p}#viewer@(Project:${q}#owner)`))
    await remove(`namespace=User&object=${p}`)
    expect(await remaining(p)).toEqual(['owner@bob'])
    await remove(`namespace=Project&object=${p}`)
    expect(await remaining(p)).toEqual([])
    expect(await remaining(q)).toEqual(['owner@ann'])
  })

  it('deletes nothing without a namespace, by a filter that nobody knows, or with a body', async () => {
    const p = unique('p')
    await given(server, `Project:${p}#owner@ann`)
    for (const [parameters, json, status] of [
      [`object=${p}`, undefined, 400],
      [`namespace=Project&object=${p}&colour=red`, undefined, 400],
      [`namespace=Project&object=${p}`, {}, 400],
      [`namespace=Nowhere&object=${p}`, undefined, 404],
      [`namespace=Project&object=${p}&subject_set.object=o`, undefined, 400],
    ] as const)
      expect((await ask(`${adminUrl}?${parameters}`, { method: 'DELETE', json })).status, parameters).toBe(
        status,
      )
    expect(await remaining(p)).toEqual(['owner@ann'])
  })
})

describe('PATCH', () => {
  it('inserts first and deletes then, whatever the order', async () => {
    const p = unique('p')
    await given(server, `Project:${p}#owner@ann`)
    const lines = [`Project:${p}#owner@ann`, `Project:${p}#viewer@ann`, `Project:${p}#editor@ann`] as const
    const changes = [change('delete', lines[0]), change('insert', lines[0]), change('insert', lines[1])]
    expect(await patch([...changes, change('delete', lines[2])])).toMatchObject({ status: 204, text: '' })
    expect(await remaining(p)).toEqual(['viewer@ann'])
    expect((await patch([change('insert', lines[1]), change('insert', lines[2])])).status).toBe(204)
    expect(await remaining(p)).toEqual(['editor@ann', 'viewer@ann', 'viewer@ann'])
    expect((await patch([change('delete', lines[1])])).status).toBe(204)
    expect(await remaining(p)).toEqual(['editor@ann'])
    for (const nothing of [[], null]) expect((await patch(nothing)).status).toBe(204)
  })

  it('writes nothing when one of many is wrong, and names what', async () => {
    const p = unique('p')
    await given(server, `Project:${p}#owner@bob`)
    const good = change('insert', `Project:${p}#owner@ann`)
    const { subject_id: _, ...noSubject } = tuple(`Nowhere:${p}#owner@ann`)
    for (const [wrong, answer] of [
      [{ ...good, action: 'upsert' }, refused(400)],
      [{ relation_tuple: good.relation_tuple }, refused(400)],
      [{ action: 'insert', relation_tuple: null }, refused(400)],
      [{ action: 'upsert', relation_tuple: noSubject }, refused(400)],
      [change('delete', `Nowhere:${p}#owner@ann`), refused(404)],
      [change('insert', `Project:${p}#owner@(Nowhere:o#r)`), refused(404)],
      ['insert', { status: 400 }],
      [change('insert', `Project:${p}#${'r'.repeat(65)}@ann`), { status: 500 }],
      [change('insert', `Project:${p}#owner@\0`), { status: 500 }],
    ] as const) {
      const found = await patch([good, change('delete', `Project:${p}#owner@bob`), wrong, good])
      expect(found, JSON.stringify(wrong).slice(0, 100)).toMatchObject(answer)
    }
    const unknownFirst = [change('insert', `Nowhere:${p}#owner@ann`), { ...good, action: 'upsert' }]
    expect(await patch(unknownFirst)).toMatchObject(refused(400))
    for (const raw of ['', '{}', '"x"', '[{"action":'])
      expect((await ask(adminUrl, { method: 'PATCH', raw })).status, raw).toBe(400)
    expect(await remaining(p)).toEqual(['owner@bob'])
  })

  it('takes thousands in one call, and what it wrote is seen at once', async () => {
    const p = unique('p')
    const lines = Array.from({ length: 3500 }, (_, i) => `Project:${p}#viewer@person${i}`)
    expect((await patch(lines.map(line => change('insert', line)))).status).toBe(204)
    expect(await allowed(server, `Project:${p}#view@person3210`)).toBe(true)
    expect(await listAll(server, { object: p, page_size: '500' })).toHaveLength(3500)
    expect((await patch(lines.slice(10).map(line => change('delete', line)))).status).toBe(204)
    expect(await remaining(p)).toHaveLength(10)
  })
})

describe('the other routes', () => {
  it('check the syntax of a permission file', async () => {
    const check = (raw: string) => ask(`${server.syntaxUrl}/opl/syntax/check`, { raw })
    for (const fine of ['', 'hello', 'class A implements Namespace {}'])
      expect(await check(fine), fine).toMatchObject({ status: 200, body: {} })
    const { status, body } = await check('class A implements Namespace {\n  related: { a: B[] }\n}')
    expect(status).toBe(200)
    expect(body).toEqual({
      errors: [
        {
          message: expect.stringContaining('"B"'),
          start: { Line: 2, column: 16 },
          end: { Line: 2, column: 17 },
        },
      ],
    })
  })

  it('are found on their own port, by their own method and path only', async () => {
    const { readUrl, writeUrl, syntaxUrl } = server
    for (const [method, url, status] of [
      ['PUT', `${readUrl}/admin/relation-tuples`, 404],
      ['GET', `${readUrl}/relation-tuples/`, 404],
      ['GET', `${writeUrl}/relation-tuples`, 404],
      ['PUT', `${writeUrl}/relation-tuples`, 404],
      ['GET', `${writeUrl}/admin/relation-tuples`, 404],
      ['GET', `${writeUrl}/`, 404],
      ['POST', `${writeUrl}/opl/syntax/check`, 404],
      ['GET', `${syntaxUrl}/opl/syntax/check`, 404],
      ['GET', `${syntaxUrl}/namespaces`, 404],
    ] as const)
      expect((await ask(url, { method })).status, `${method} ${url}`).toBe(status)
  })
})
