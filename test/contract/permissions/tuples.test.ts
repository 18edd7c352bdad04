// Relation tuples over /api/permsrv: import, deletion, browsing, and what bad input gets. Nothing is written by halves.

import { describe, expect, inject, it } from 'vitest'
import { importTuples, permissions, storedOf, unique } from './caller.ts'

const { base_url, service_role_key, permission_write_url, permission_admin_token } = inject('stack')

const viewer = (object: string, subject_id: string) => ({
  namespace: 'Project',
  object,
  relation: 'viewer',
  subject_id,
})

describe('an import', () => {
  it('writes text and JSON forms, and skips what is there and what came twice', async () => {
    const project = unique('project')
    const tuples = [
      viewer(project, 'alice'),
      `Project:${project}#viewer@bob`,
      `Project:${project}#viewer@Organization:acme#member`,
      { ...viewer(project, 'bob'), subject_set: null },
    ]
    const first = await importTuples(tuples)
    expect(first).toMatchObject({ status: 200, json: { imported: 3, skipped_duplicates: 1 } })
    const second = await importTuples([...tuples, viewer(project, 'carol')])
    expect(second).toMatchObject({ status: 200, json: { imported: 1, skipped_duplicates: 4 } })
    expect(await storedOf('Project', project)).toHaveLength(4)
  })

  it('of 500 of different objects and subjects is written, and again writes none', async () => {
    const project = unique('project')
    const tuples = Array.from({ length: 500 }, (_, n) => viewer(`${project}-${n}`, `user-${n}`))
    expect(await importTuples(tuples)).toMatchObject({ json: { imported: 500, skipped_duplicates: 0 } })
    expect(await importTuples(tuples)).toMatchObject({ json: { imported: 0, skipped_duplicates: 500 } })
  })

  it('writes no duplicates where the same runs several times at once', async () => {
    const project = unique('project')
    const tuples = Array.from({ length: 20 }, (_, n) => viewer(project, `user-${n}`))
    const answers = await Promise.all(Array.from({ length: 5 }, () => importTuples(tuples)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    const imported = answers.reduce((sum, { json }) => sum + Number(json['imported']), 0)
    expect(imported).toBe(20)
    expect(await storedOf('Project', project)).toHaveLength(20)
  })

  it('keeps subject ids apart from the sets that they look like, and any letters', async () => {
    const project = unique('project')
    const id = `Organization:${project}#member`
    const names = [id, 'ünïcödé 🙂', '"quoted"', 'a@b:c#d e', '%00', ' ', '"', '\\', '.', '..']
    const set = { namespace: 'Organization', object: project, relation: 'member' }
    const { subject_id: _, ...noSubject } = viewer(project, '')
    const tuples = [
      ...names.map(name => viewer(project, name)),
      { ...noSubject, subject_set: set },
      viewer(project, 'User:alice'),
      `Project:${project}#viewer@"User:bob"`,
    ]
    expect(await importTuples(tuples)).toMatchObject({ json: { imported: tuples.length } })
    const { json } = await permissions('POST', '/who-can-access', { namespace: 'Project', object: project })
    const subjects = Object.keys(json['matrix'] as object)
    expect(subjects).toContain(`"${id}"`)
    expect(subjects).toContain(id)
    for (const subject of subjects) {
      const path = `/subject-tuples/${encodeURIComponent(subject)}`
      const { json: found } = await permissions('GET', path)
      const mine = (found['tuples'] as { object: string }[]).filter(({ object }) => object === project)
      expect(mine, subject).toHaveLength(1)
    }
  })

  const project = 'never-written'
  const set = { namespace: 'Organization', object: 'acme', relation: 'member' }
  const { subject_id: _, ...noSubject } = viewer(project, '')
  it.each<[string, unknown, string, string]>([
    ['both subjects', { ...viewer(project, 'a'), subject_set: set }, 'invalid_tuple', 'both subject_id and'],
    ['neither subject', noSubject, 'invalid_tuple', 'neither subject_id nor'],
    ['an unknown namespace', { ...viewer(project, 'a'), namespace: 'Nope' }, 'unknown_namespace', '"Nope"'],
    [
      'an unknown namespace in its set',
      { ...noSubject, subject_set: { ...set, namespace: 'Nope' } },
      'unknown_namespace',
      '"Nope"',
    ],
    ['an unknown relation', { ...viewer(project, 'a'), relation: 'boss' }, 'unknown_relation', '"boss"'],
    ['a permit', { ...viewer(project, 'a'), relation: 'view' }, 'unknown_relation', 'is a permit'],
    [
      'an unknown relation in its set',
      { ...noSubject, subject_set: { ...set, relation: 'boss' } },
      'unknown_relation',
      'subject_set: Organization',
    ],
    ['an empty object', viewer('', 'a'), 'invalid_tuple', 'object is empty'],
    ['an empty subject', viewer(project, ''), 'invalid_tuple', 'subject_id is empty'],
    ['an empty relation', { ...viewer(project, 'a'), relation: '' }, 'invalid_tuple', 'relation is empty'],
    ['no object', { ...viewer(project, 'a'), object: undefined }, 'invalid_tuple', 'object is missing'],
    ['a number for a name', { ...viewer(project, 'a'), object: 7 }, 'invalid_tuple', 'object must be a text'],
    ['a field that nobody knows', { ...viewer(project, 'a'), subject: 'a' }, 'invalid_tuple', '"subject"'],
    ['a very long id', viewer(project, 'a'.repeat(1_001)), 'invalid_tuple', 'longer than 1000'],
    ['half a character', 'Project:a#viewer@"\\ud800"', 'invalid_tuple', 'surrogate'],
    ['a NUL', 'Project:a#viewer@"\\u0000"', 'invalid_tuple', 'NUL'],
    ['an object as Keto writes it', 'Project:a#parent@Project:b', 'invalid_tuple', 'Project:b# or the id'],
    ['an empty thing', {}, 'invalid_tuple', 'namespace is missing'],
    ['a list', [], 'invalid_tuple', 'must be an object or a text'],
    ['null', null, 'invalid_tuple', 'must be an object or a text'],
    ['a text without a subject', 'Project:apollo#viewer', 'invalid_tuple', 'no "@" behind the relation'],
  ])('with %s as the 300th writes nothing, and names it', async (_what, bad, code, words) => {
    const good = unique('good')
    const tuples: unknown[] = Array.from({ length: 400 }, (_each, n) => viewer(good, `user-${n}`))
    tuples[299] = bad
    const { status, json } = await importTuples(tuples)
    expect({ status, code: json['code'] }).toEqual({ status: 422, code })
    expect(json['error']).toMatch(/^tuples\[299\]/)
    expect(json['error']).toContain(words)
    expect(await storedOf('Project', good)).toEqual([])
  })

  it('of 501 tuples is refused', async () => {
    const good = unique('good')
    const tuples = Array.from({ length: 501 }, (_, n) => viewer(good, `user-${n}`))
    expect(await importTuples(tuples)).toMatchObject({ status: 400, json: { code: 'too_many_tuples' } })
    expect(await permissions('POST', '/relation-tuples/batch-delete', { tuples })).toMatchObject({
      status: 400,
      json: { code: 'too_many_tuples' },
    })
    expect(await storedOf('Project', good)).toEqual([])
  })

  it('of no tuples, and with a NUL in JSON, is refused', async () => {
    const refused = { status: 400, json: { code: 'validation_failed' } }
    expect(await importTuples([])).toMatchObject(refused)
    expect(await importTuples([viewer('apollo', 'a\0b')])).toMatchObject(refused)
  })
})

describe('a deletion', () => {
  it('takes away those that are there with their copies, and counts them', async () => {
    const project = unique('project')
    await importTuples([viewer(project, 'alice'), viewer(project, 'bob')])
    await writePastQuoin(viewer(project, 'alice'))
    expect(await storedOf('Project', project)).toHaveLength(3)
    const tuples = [viewer(project, 'alice'), `Project:${project}#viewer@nobody`, viewer(project, 'alice')]
    const { json } = await permissions('POST', '/relation-tuples/batch-delete', { tuples })
    expect(json).toEqual({ deleted: 1 })
    expect(await storedOf('Project', project)).toEqual([viewer(project, 'bob')])
  })

  it('names the tuple whose namespace nobody knows, and deletes nothing', async () => {
    const project = unique('project')
    await importTuples([viewer(project, 'alice')])
    const tuples = [viewer(project, 'alice'), `Project:${project}#viewer@bob`, 'Nope:a#b@c']
    const answer = await permissions('POST', '/relation-tuples/batch-delete', { tuples })
    expect(answer).toMatchObject({ status: 422, json: { code: 'unknown_namespace' } })
    expect(answer.json['error']).toMatch(/^tuples\[2\]: .*"Nope"/)
    expect(await storedOf('Project', project)).toHaveLength(1)
  })

  it('may name relations that are not declared any more', async () => {
    const project = unique('project')
    const old = { ...viewer(project, 'alice'), relation: 'boss' }
    await writePastQuoin(old)
    const { json } = await permissions('POST', '/relation-tuples/batch-delete', { tuples: [old] })
    expect(json).toEqual({ deleted: 1 })
  })

  // The permission server takes what is left out for "any": the whole namespace would be gone.
  it.each([
    ['subject', { relation: undefined }],
    ['object', { object: undefined }],
    ['empty object', { object: '' }],
    ['empty relation', { relation: '' }],
    ['no subject', { subject_id: undefined }],
  ])('that would be a wildcard is refused (%s)', async (_what, change) => {
    const project = unique('project')
    await importTuples([viewer(project, 'alice')])
    const tuples = [{ ...viewer(project, 'alice'), ...change }]
    const answer = await permissions('POST', '/relation-tuples/batch-delete', { tuples })
    expect(answer).toMatchObject({ status: 422, json: { code: 'invalid_tuple' } })
    expect(await storedOf('Project', project)).toHaveLength(1)
  })

  it.each(['namespace', 'object', 'relation', 'subject'])('of one tuple needs its %s', async name => {
    const project = unique('project')
    await importTuples([viewer(project, 'alice')])
    const query = new URLSearchParams({
      namespace: 'Project',
      object: project,
      relation: 'viewer',
      subject: 'alice',
    })
    query.delete(name)
    expect(await permissions('DELETE', `/tuples?${query}`)).toMatchObject({ status: 400 })
    query.set(name, '')
    const empty = await permissions('DELETE', `/tuples?${query}`)
    expect(empty).toMatchObject({ status: 422, json: { code: 'invalid_tuple' } })
    expect(await storedOf('Project', project)).toHaveLength(1)
  })
})

describe('one tuple', () => {
  it('is written once, and deleted', async () => {
    const project = unique('project')
    const text = `Project:${project}#owner@Organization:acme#admin`
    const tuple = {
      namespace: 'Project',
      object: project,
      relation: 'owner',
      subject_set: { namespace: 'Organization', object: 'acme', relation: 'admin' },
    }
    const first = await permissions('PUT', '/tuples', text)
    expect(first).toMatchObject({ status: 201, json: { tuple, created: true } })
    const second = await permissions('PUT', '/tuples', tuple)
    expect(second).toMatchObject({ status: 200, json: { tuple, created: false } })
    const query = new URLSearchParams({
      namespace: 'Project',
      object: project,
      relation: 'owner',
      subject: 'Organization:acme#admin',
    })
    expect((await permissions('DELETE', `/tuples?${query}`)).json).toEqual({ deleted: 1 })
    expect((await permissions('DELETE', `/tuples?${query}`)).json).toEqual({ deleted: 0 })
  })
})

describe('browsing', () => {
  it('finds by each part, page by page, each tuple once', async () => {
    const project = unique('project')
    const someone = unique('someone')
    const set = { namespace: 'Organization', object: project, relation: 'member' }
    await importTuples([
      ...Array.from({ length: 12 }, (_, n) => viewer(project, `${someone}-${n}`)),
      { namespace: 'Project', object: project, relation: 'owner', subject_id: someone },
      `Project:${project}#owner@Organization:${project}#member`,
    ])
    const read = async (filter: Record<string, string>) => {
      const found: unknown[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const query = new URLSearchParams({ ...filter, limit: '5', ...(cursor && { cursor }) })
        const { json } = await permissions('GET', `/tuples?${query}`)
        found.push(...(json['data'] as unknown[]))
        cursor = json['next_cursor'] as string | null
      }
      return found
    }
    expect(await read({ object: project })).toHaveLength(14)
    expect(
      new Set((await read({ namespace: 'Project', object: project })).map(one => JSON.stringify(one))).size,
    ).toBe(14)
    expect(await read({ object: project, relation: 'owner' })).toHaveLength(2)
    expect(await read({ subject: someone })).toHaveLength(1)
    expect(await read({ subject: `Organization:${project}#member` })).toEqual([
      { namespace: 'Project', object: project, relation: 'owner', subject_set: set },
    ])
  })

  it.each([
    ['a cursor of its own making', `cursor=${btoa('["AAAA"]')}`],
    ['a cursor of another list', `cursor=${btoa(JSON.stringify(['x'.repeat(80)]))}`],
    ['a cursor that is none', 'cursor=%F0%9F%99%82'],
    ['a limit of 501', 'limit=501'],
    ['a limit of 0', 'limit=0'],
    ['a filter that nobody knows', 'subject_id=alice'],
  ])('with %s is refused', async (_what, query) => {
    expect(await permissions('GET', `/tuples?${query}`)).toMatchObject({ status: 400 })
  })

  it('in a namespace that nobody knows is refused', async () => {
    const unknown = { status: 422, json: { code: 'unknown_namespace' } }
    expect(await permissions('GET', '/tuples?namespace=Nope')).toMatchObject(unknown)
    expect(await permissions('GET', '/subject-tuples/Nope:a%23b')).toMatchObject(unknown)
  })
})

describe('the tuples of a subject', () => {
  it('are found in all namespaces and over several pages, for ids and for sets', async () => {
    const someone = unique('user:someone')
    const set = `Organization:${unique('acme')}#member`
    for (const subject of [someone, set]) {
      await importTuples([
        `Organization:${unique('o')}#member@${subject}`,
        ...Array.from({ length: 499 }, (_, n) => `Project:${unique(`p${n}`)}#viewer@${subject}`),
      ])
      await importTuples([`Project:${unique('more')}#owner@${subject}`])
      const { status, json } = await permissions('GET', `/subject-tuples/${encodeURIComponent(subject)}`)
      expect({ status, ...json, tuples: undefined }).toEqual({
        status: 200,
        subject,
        complete: true,
        truncated_by: null,
        tuples: undefined,
      })
      const tuples = json['tuples'] as { namespace: string }[]
      expect(tuples).toHaveLength(501)
      expect(new Set(tuples.map(({ namespace }) => namespace))).toEqual(new Set(['Organization', 'Project']))
    }
  })

  it.each(['%00', 'a'.repeat(1_001), '%22%5Cud800%22', 'Organization:%23member'])(
    'are refused for what no tuple could hold (%s)',
    async subject => {
      const refused = { status: 422, json: { code: 'invalid_tuple' } }
      expect(await permissions('GET', `/subject-tuples/${subject}`)).toMatchObject(refused)
    },
  )

  it('are none for somebody who is not known', async () => {
    const { json } = await permissions('GET', `/subject-tuples/${unique('nobody')}`)
    expect(json).toMatchObject({ tuples: [], complete: true })
  })
})

it('every change has its audit row, and a change of nothing has none', async () => {
  const project = unique('project')
  const one = `Project:${project}#viewer@alice`
  const two = `Project:${project}#viewer@bob`
  await importTuples([one, two])
  await importTuples([one, two])
  await permissions('PUT', '/tuples', `Project:${project}#viewer@carol`)
  await permissions('POST', '/relation-tuples/batch-delete', { tuples: [one] })
  await permissions('DELETE', `/tuples?namespace=Project&object=${project}&relation=viewer&subject=bob`)
  const response = await fetch(`${base_url}/v1/audit-logs?target_kind=relation_tuples&limit=1000`, {
    headers: { apikey: service_role_key },
  })
  const { data } = (await response.json()) as { data: Record<string, unknown>[] }
  const mine = data.filter(entry => JSON.stringify(entry).includes(project)).reverse()
  expect(mine.map(({ action, outcome, before, after }) => ({ action, outcome, before, after }))).toEqual([
    { action: 'permissions.import', outcome: 'succeeded', before: null, after: { tuples: [one, two] } },
    {
      action: 'permissions.write',
      outcome: 'succeeded',
      before: null,
      after: { tuples: [`Project:${project}#viewer@carol`] },
    },
    { action: 'permissions.batch_delete', outcome: 'succeeded', before: { tuples: [one] }, after: null },
    { action: 'permissions.delete', outcome: 'succeeded', before: { tuples: [two] }, after: null },
  ])
})

/** As an application would that goes to the permission server itself. */
async function writePastQuoin(tuple: object): Promise<void> {
  const response = await fetch(`${permission_write_url}/admin/relation-tuples`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${permission_admin_token}` },
    body: JSON.stringify(tuple),
  })
  expect(response.status).toBe(201)
}
