// Who can access an object, against the permission server's own checks made one by one: random graphs with cycles,
// organizations in several levels, parents and permits.

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Upstream } from '../../../src/clients/http.ts'
import type { RelationTuple } from '../../../src/clients/permission-server.ts'
import { Declarations } from '../../../src/features/permissions/declarations.ts'
import { explainPermission } from '../../../src/features/permissions/explain-permission.ts'
import { parsePermissionFile } from '../../../src/features/permissions/language/parse.ts'
import type { PermissionReadDeps } from '../../../src/features/permissions/permission-deps.ts'
import { parseSubject } from '../../../src/features/permissions/tuple-text.ts'
import { whoCanAccess } from '../../../src/features/permissions/who-can-access.ts'
import { ask, change, given, openPermissions, type Permissions } from '../../support/permission-server.ts'

const TEXT = readFileSync(new URL('../../../permissions/namespaces.ts', import.meta.url), 'utf8')
const CHECKS_AT_ONCE_MAX = 10

let permissions: Permissions
let deps: PermissionReadDeps

beforeAll(async () => {
  permissions = await openPermissions()
  deps = depsWith({})
})
afterAll(() => permissions?.[Symbol.asyncDispose]())

function depsWith(config: Partial<PermissionReadDeps['config']>, onCall = () => {}): PermissionReadDeps {
  const permissionRead: Upstream = {
    name: 'permission_server',
    variable: 'PERMISSION_READ_URL',
    baseUrl: permissions.readUrl,
    fetch: (...args) => {
      onCall()
      return fetch(...args)
    },
  }
  return {
    upstreams: { permissionRead },
    permissionFile: { text: TEXT, declarations: new Declarations(parsePermissionFile(TEXT).file) },
    config: { permissionDepthMax: 5, permissionTuplesMax: 50_000, ...config },
  }
}

let runs = 0
/** The lines with names that no other run uses: `Project:0` becomes `Project:<run>-0`, and people stay. */
function own(lines: readonly string[]): { lines: string[]; name: (object: string) => string } {
  runs += 1
  const prefix = `${process.pid}-${runs}-`
  return {
    lines: lines.map(line => line.replaceAll(/(Organization|Project):/g, `$1:${prefix}`)),
    name: object => `${prefix}${object}`,
  }
}

/** Whether the server says yes, for each. */
async function checks(tuples: readonly RelationTuple[]): Promise<boolean[]> {
  const allowed: boolean[] = []
  for (let from = 0; from < tuples.length; from += CHECKS_AT_ONCE_MAX) {
    const batch = tuples.slice(from, from + CHECKS_AT_ONCE_MAX)
    const { body } = await ask(`${permissions.readUrl}/relation-tuples/batch/check`, {
      json: { tuples: batch },
    })
    for (const result of body.results) {
      if (result.error !== undefined) throw new Error(result.error)
      allowed.push(result.allowed)
    }
  }
  return allowed
}

async function remove(lines: readonly string[]): Promise<void> {
  await ask(`${permissions.writeUrl}/admin/relation-tuples`, {
    method: 'PATCH',
    json: lines.map(line => change('delete', line)),
  })
}

const upTo = (max: number) => fc.integer({ min: 0, max })
const PEOPLE = ['alice', 'bob', 'carol']
const ORGANIZATIONS_MAX = 6
const person = fc.constantFrom(...PEOPLE)
const project = upTo(2).map(n => `Project:${n}`)
const organization = upTo(ORGANIZATIONS_MAX).map(n => `Organization:${n}`)
const role = fc.constantFrom('member', 'member', 'member', 'admin')
const set = fc.tuple(organization, role).map(([object, relation]) => `(${object}#${relation})`)
const membership = fc
  .tuple(organization, role, fc.oneof({ weight: 1, arbitrary: person }, { weight: 2, arbitrary: set }))
  .map(([object, relation, subject]) => `${object}#${relation}@${subject}`)
const access = fc
  .tuple(project, fc.constantFrom('owner', 'editor', 'viewer'), fc.oneof(person, set))
  .map(([object, relation, subject]) => `${object}#${relation}@${subject}`)
const parent = fc.tuple(project, project).map(([one, other]) => `${one}#parent@(${other}#)`)
const graph = fc.uniqueArray(
  fc.oneof(
    { weight: 4, arbitrary: membership },
    { weight: 2, arbitrary: access },
    { weight: 1, arbitrary: parent },
  ),
  { minLength: 8, maxLength: 40, size: 'max' },
)

describe('who can access', () => {
  it('agrees with checks made one by one, subject by subject, for relations and permits', async () => {
    const seen = { granted: 0, whole: 0, part: 0 }
    await fc.assert(
      fc.asyncProperty(graph, async drawn => {
        const { lines, name } = own(drawn)
        await given(permissions, ...lines)
        const object = { namespace: 'Project', object: name('0') }
        const report = await whoCanAccess(deps, object)
        const sets = Array.from(
          { length: ORGANIZATIONS_MAX + 1 },
          (_, n) => `Organization:${name(String(n))}#member`,
        )
        const subjects = [...new Set([...PEOPLE, ...sets, ...Object.keys(report.matrix)])]
        const columns = [
          ...report.relations.map(relation => ({ relation, complete: report.complete })),
          ...report.permits.map(({ permit, complete }) => ({ relation: permit, complete })),
        ]
        const cells = subjects.flatMap(subject => columns.map(column => ({ subject, ...column })))
        const answers = await checks(
          cells.map(({ subject, relation }) => ({ ...object, relation, ...parseSubject(subject) })),
        )
        for (const [index, { subject, relation, complete }] of cells.entries()) {
          const cell = report.matrix[subject]?.[relation] ?? false
          const place = `${relation} of ${subject} in ${JSON.stringify(drawn)}`
          if (complete) expect(cell, place).toBe(answers[index])
          // Of a part, what is said is found: a yes of the server's is never missing.
          else if (answers[index] === true) expect(cell, place).toBe(true)
          if (cell) seen.granted += 1
          seen[complete ? 'whole' : 'part'] += 1
        }
        await remove(lines)
      }),
      { numRuns: 60 },
    )
    // Otherwise the graphs would be too thin to show anything.
    expect(seen.granted).toBeGreaterThan(200)
    expect(seen.whole).toBeGreaterThan(seen.part)
    expect(seen.part).toBeGreaterThan(0)
  }, 120_000)
})

describe('what is beyond a limit', () => {
  async function report(drawn: readonly string[], using = deps) {
    const { lines, name } = own(drawn)
    await given(permissions, ...lines)
    return { name, ...(await whoCanAccess(using, { namespace: 'Project', object: name('0') })) }
  }

  const chainOf = (length: number) => [
    'Project:0#viewer@(Organization:0#member)',
    ...Array.from(
      { length: length - 1 },
      (_, n) => `Organization:${n}#member@(Organization:${n + 1}#member)`,
    ),
    `Organization:${length - 1}#member@alice`,
  ]

  it('is left out, as the server leaves it out, and said: depth', async () => {
    const inside = await report(chainOf(4))
    expect(inside).toMatchObject({ complete: true, truncated_by: null })
    expect(inside.matrix['alice']).toMatchObject({ viewer: true })
    const beyond = await report(chainOf(5))
    expect(beyond).toMatchObject({ complete: false, truncated_by: 'depth' })
    expect(beyond.matrix['alice']).toBeUndefined()
  })

  it('is said of a permit although its relation is complete', async () => {
    const { matrix, permits, complete } = await report(chainOf(4))
    expect(complete).toBe(true)
    expect(matrix['alice']).toMatchObject({ viewer: true, view: false })
    expect(permits).toContainEqual({ permit: 'view', complete: false, truncated_by: 'depth' })
  })

  // The server looks into a set once in a check: where the long way comes first, the short one is not gone any more.
  it('is said where a long way may hide a short one', async () => {
    const { matrix, ...rest } = await report([
      'Project:0#viewer@(Organization:0#member)',
      'Organization:0#member@(Organization:1#member)',
      'Organization:1#member@(Organization:2#member)',
      'Organization:2#member@(Organization:8#member)',
      'Project:0#viewer@(Organization:3#member)',
      'Organization:3#member@(Organization:8#member)',
      'Organization:8#member@(Organization:9#member)',
      'Organization:9#member@alice',
    ])
    expect(matrix['alice']).toMatchObject({ viewer: true })
    expect(rest).toMatchObject({ complete: false, truncated_by: 'depth' })
  })

  it('is said: width', async () => {
    const organizations = Array.from({ length: 101 }, (_, n) => n)
    const direct = organizations.flatMap(n => [
      `Project:0#viewer@(Organization:${n}#member)`,
      `Organization:${n}#member@user-${n}`,
    ])
    expect(await report(direct)).toMatchObject({ complete: true })
    const nested = [...direct, 'Organization:7#member@(Organization:200#member)']
    expect(await report(nested)).toMatchObject({ complete: false, truncated_by: 'width' })
  })

  it('is said: a relation that the permission file does not declare', async () => {
    const undeclared = ['Project:0#viewer@(Organization:0#boss)', 'Organization:0#boss@alice']
    expect(await report(undeclared)).toMatchObject({ complete: false, truncated_by: 'undeclared' })
  })

  it('is said: tuples, where more would have to be read than one answer may', async () => {
    const people = Array.from({ length: 1_001 }, (_, n) => `Project:0#viewer@user-${n}`)
    const using = depsWith({ permissionTuplesMax: 1_000 })
    const { subjects, ...rest } = await report(people, using)
    expect(rest).toMatchObject({ complete: false, truncated_by: 'tuples' })
    expect(subjects).toHaveLength(1_000)
  })

  it('is said by an explanation: depth, where the server has another than it is said to have', async () => {
    const { lines, name } = own([
      'Project:0#viewer@(Organization:0#member)',
      ...[0, 1, 2, 3].map(n => `Organization:${n}#member@(Organization:${n + 1}#member)`),
      'Organization:2#member@near',
      'Organization:4#member@far',
    ])
    await given(permissions, ...lines)
    const explained = async (permissionDepthMax: number, subject_id: string) => {
      const tuple = { namespace: 'Project', object: name('0'), relation: 'viewer', subject_id }
      const { allowed, reason, truncated_by } = await explainPermission(
        depsWith({ permissionDepthMax }),
        tuple,
      )
      return [allowed, reason, truncated_by]
    }
    expect(await explained(10, 'far')).toEqual([false, 'limit', 'depth'])
    expect(await explained(10, 'near')).toEqual([true, 'path', null])
    expect(await explained(3, 'near')).toEqual([true, 'limit', 'depth'])
  })

  it('is nothing in a cycle', async () => {
    const cycle = [
      'Project:0#viewer@(Organization:0#member)',
      'Organization:0#member@(Organization:1#member)',
      'Organization:1#member@(Organization:0#member)',
      'Organization:1#member@alice',
    ]
    const { matrix, complete } = await report(cycle)
    expect(complete).toBe(true)
    expect(matrix['alice']).toMatchObject({ viewer: true, view: true, edit: false })
  })
})

it('reads many sets of one relation by the page, and each tuple once', async () => {
  let calls = 0
  const { lines, name } = own([
    ...Array.from({ length: 90 }, (_, n) => `Project:0#editor@(Organization:${n}#member)`),
    ...Array.from({ length: 900 }, (_, n) => `Organization:${n % 90}#member@user-${n}`),
  ])
  await given(permissions, ...lines)
  const using = depsWith({}, () => {
    calls += 1
  })
  const { subjects, complete } = await whoCanAccess(using, { namespace: 'Project', object: name('0') })
  expect(complete).toBe(true)
  expect(subjects).toHaveLength(990)
  // The object, a few pages of memberships, and the relations that permits ask for.
  expect(calls).toBeLessThan(20)
})
