// Checks, explanations, who can access what, and the namespaces, over /api/permsrv.

import { describe, expect, inject, it } from 'vitest'
import { concurrently } from '../../../src/lib/concurrently.ts'
import { importTuples, permissions, unique } from './caller.ts'

const { base_url, service_role_key } = inject('stack')

/** Alice is in Europe, which is in Acme, which may edit the project; Bob owns its parent; Carol has nothing. */
async function makeProject() {
  const [project, parent, acme, europe] = ['project', 'parent', 'acme', 'europe'].map(unique)
  const chain = [
    `Project:${project}#editor@Organization:${acme}#member`,
    `Organization:${acme}#member@Organization:${europe}#member`,
    `Organization:${europe}#member@alice`,
  ]
  const inherited = [`Project:${project}#parent@Project:${parent}#`, `Project:${parent}#owner@bob`]
  expect((await importTuples([...chain, ...inherited])).status).toBe(200)
  return { project: project ?? '', acme: acme ?? '', chain, inherited }
}

const may = (object: string, relation: string, subject_id: string) => ({
  namespace: 'Project',
  object,
  relation,
  subject_id,
})

describe('a check', () => {
  it('says what the permission server says, of an object and of a text', async () => {
    const { project, acme } = await makeProject()
    const answer = async (body: unknown) => (await permissions('POST', '/check', body)).json
    expect(await answer(may(project, 'editor', 'alice'))).toEqual({ allowed: true })
    expect(await answer(may(project, 'view', 'alice'))).toEqual({ allowed: true })
    expect(await answer(may(project, 'view', 'bob'))).toEqual({ allowed: true })
    expect(await answer(may(project, 'edit', 'bob'))).toEqual({ allowed: false })
    expect(await answer(`Project:${project}#editor@Organization:${acme}#member`)).toEqual({ allowed: true })
    expect(await answer(`Project:${project}#editor@"Organization:${acme}#member"`)).toEqual({
      allowed: false,
    })
  })

  it.each([
    ['an unknown namespace', may('apollo', 'view', 'a'), 'unknown_namespace', { namespace: 'Nope' }],
    ['an unknown relation', may('apollo', 'boss', 'a'), 'unknown_relation', {}],
    ['an empty object', may('', 'view', 'a'), 'invalid_tuple', {}],
    ['a text that is none', 'apollo', 'invalid_tuple', undefined],
  ])('of %s is refused', async (_what, body, code, change) => {
    const question = typeof body === 'string' ? body : { ...body, ...change }
    for (const path of ['/check', '/explain'])
      expect(await permissions('POST', path, question)).toMatchObject({ status: 422, json: { code } })
  })

  it('that meets a relation which is not declared says so', async () => {
    const project = unique('project')
    await importTuples([`Project:${project}#parent@Organization:acme#`])
    const answer = await permissions('POST', '/check', may(project, 'view', 'alice'))
    expect(answer).toMatchObject({ status: 422, json: { code: 'unknown_relation' } })
    expect(answer.json['detail']).toContain('view')
  })
})

describe('an explanation', () => {
  it('is the chain of tuples, or that there is none, or the limit', async () => {
    const { project, chain, inherited } = await makeProject()
    const answer = async (body: unknown) => (await permissions('POST', '/explain', body)).json
    const granted = { allowed: true, reason: 'path', truncated_by: null }
    expect(await answer(may(project, 'edit', 'alice'))).toEqual({ ...granted, via: chain })
    expect(await answer(may(project, 'view', 'bob'))).toEqual({ ...granted, via: inherited })
    const denied = { allowed: false, via: [] }
    expect(await answer(may(project, 'view', 'carol'))).toEqual({
      ...denied,
      reason: 'no_path',
      truncated_by: null,
    })
    const deep = Array.from({ length: 10 }, () => unique('deep'))
    await importTuples([
      `Project:${deep[0]}#viewer@Organization:${deep[0]}#member`,
      ...deep.slice(1).map((name, n) => `Organization:${deep[n]}#member@Organization:${name}#member`),
      `Organization:${deep[9]}#member@dora`,
      // Three groups in groups, which Keto's default depth of 5 lets edit and not view.
      ...['owner', 'viewer'].map(relation => `Project:${deep[6]}#${relation}@Organization:${deep[6]}#member`),
    ])
    for (const permit of ['edit', 'view'])
      expect(await answer(may(deep[6] ?? '', permit, 'dora'))).toMatchObject({
        allowed: true,
        reason: 'path',
      })
    expect(await answer(may(deep[0] ?? '', 'viewer', 'dora'))).toEqual({
      ...denied,
      reason: 'limit',
      truncated_by: 'depth',
    })
  })
})

// The server looks into 99 sets of so many: the walk knows a way, and the server still says no.
it('an explanation never calls a way what the server denies', async () => {
  const project = unique('wide')
  const wide = Array.from({ length: 150 }, (_, n) => [
    `Project:${project}#viewer@Organization:${project}-${n}#member`,
    `Organization:${project}-${n}#member@Organization:${project}-${n}-in#member`,
    `Organization:${project}-${n}-in#member@user-${n}`,
  ]).flat()
  await importTuples(wide)
  const answers = new Set<string>()
  const people = Array.from({ length: 150 }, (_, n) => `user-${n}`)
  // Each asks the permission server some three hundred times: all at once are more than a busy machine can answer.
  await concurrently(people, 10, async person => {
    const { json } = await permissions('POST', '/explain', may(project, 'viewer', person))
    answers.add(`${json['allowed']} ${json['reason']} ${json['truncated_by']}`)
  })
  expect(answers).toEqual(new Set(['true path null', 'false limit width']))
})

describe('who can access', () => {
  it('has a row for each subject, with the chain for each relation and permit', async () => {
    const { project, chain, inherited } = await makeProject()
    const { status, json } = await permissions('POST', '/who-can-access', {
      namespace: 'Project',
      object: project,
    })
    expect(status).toBe(200)
    expect(json).toMatchObject({
      complete: true,
      truncated_by: null,
      relations: ['owner', 'editor', 'viewer', 'parent'],
      permits: [
        { permit: 'edit', complete: true, truncated_by: null },
        { permit: 'view', complete: true, truncated_by: null },
      ],
      matrix: {
        alice: { owner: false, editor: true, viewer: false, parent: false, edit: true, view: true },
        bob: { owner: false, editor: false, viewer: false, parent: false, edit: false, view: true },
      },
    })
    const subjects = json['subjects'] as { subject: string }[]
    expect(subjects.find(({ subject }) => subject === 'alice')).toEqual({
      subject: 'alice',
      relations: [{ relation: 'editor', via: chain }],
      permits: [
        { permit: 'edit', via: chain },
        { permit: 'view', via: chain },
      ],
    })
    expect(subjects.find(({ subject }) => subject === 'bob')).toEqual({
      subject: 'bob',
      relations: [],
      permits: [{ permit: 'view', via: inherited }],
    })
  })

  it('without a tuple is what it would be once that tuple is deleted', async () => {
    const { project, chain, inherited } = await makeProject()
    const [, , membership] = chain
    await importTuples([`Project:${project}#owner@alice`])
    const without = async (tuples: unknown[]) => {
      const question = { namespace: 'Project', object: project, without: tuples }
      const { json } = await permissions('POST', '/who-can-access', question)
      return json['matrix'] as Record<string, Record<string, boolean>>
    }
    const one = await without([membership])
    expect(one['alice']).toMatchObject({ owner: true, editor: false, edit: true, view: true })
    expect(one['bob']).toMatchObject({ view: true })
    const both = await without([membership, { ...may(project, 'owner', 'alice') }, inherited[1]])
    expect([both['alice'], both['bob']]).toEqual([undefined, undefined])
    // Nothing was deleted.
    expect((await without([]))['alice']).toMatchObject({ owner: true, editor: true })
  })

  it('is nobody for an object that is not there', async () => {
    const question = { namespace: 'Project', object: unique('nothing') }
    const { json } = await permissions('POST', '/who-can-access', question)
    expect(json).toMatchObject({ subjects: [], matrix: {}, complete: true })
  })

  it.each([
    [{ namespace: 'Nope', object: 'a' }, 422, 'unknown_namespace'],
    [{ namespace: 'Project', object: '' }, 400, 'validation_failed'],
    [{ namespace: 'Project' }, 400, 'validation_failed'],
    [{ namespace: 'Project', object: 'a'.repeat(1_001) }, 400, 'validation_failed'],
    [{ namespace: 'Project', object: 'a', relation: 'view' }, 400, 'validation_failed'],
    [{ namespace: 'Project', object: 'a', without: ['a'] }, 422, 'invalid_tuple'],
  ])('of %j is refused', async (question, status, code) => {
    expect(await permissions('POST', '/who-can-access', question)).toMatchObject({ status, json: { code } })
  })
})

it('lists namespaces with relations, permits, subjects and the permission file', async () => {
  const { acme } = await makeProject()
  const { json } = await permissions('GET', '/namespaces')
  const data = json['data'] as { name: string; relations: { name: string; subjects: number }[] }[]
  expect(data.map(({ name }) => name)).toEqual(['User', 'Organization', 'Project'])
  const project = data.find(({ name }) => name === 'Project')
  expect(project).toMatchObject({
    in_file: true,
    on_server: true,
    permits: ['edit', 'view'],
    rules: [
      { permit: 'edit', follows_from: 'owner or editor' },
      { permit: 'view', follows_from: 'edit or viewer or view of parent' },
    ],
    counted_all: true,
  })
  const editor = project?.relations.find(({ name }) => name === 'editor')
  expect(editor).toMatchObject({ types: ['User', 'SubjectSet<Organization, "member">'], declared: true })
  await importTuples([`Project:${unique('one')}#editor@${acme}`, `Project:${unique('other')}#editor@${acme}`])
  const { json: after } = await permissions('GET', '/namespaces')
  const count = (after['data'] as typeof data)
    .find(({ name }) => name === 'Project')
    ?.relations.find(({ name }) => name === 'editor')
  // One more subject, who has it on two objects.
  expect(count?.subjects).toBeGreaterThan(editor?.subjects ?? 0)
  expect(json['file']).toContain('class Project implements Namespace')
})

it('is known to the status and the modules', async () => {
  const read = async (path: string) => {
    const response = await fetch(base_url + path, { headers: { apikey: service_role_key } })
    return (await response.json()) as Record<string, unknown>
  }
  expect(await read('/v1/status')).toMatchObject({ permissions: { state: 'up', missing_namespaces: [] } })
  const { data } = await read('/v1/modules')
  expect(data).toContainEqual(expect.objectContaining({ name: 'permissions', enabled: true }))
})
