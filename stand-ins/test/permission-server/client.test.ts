// Ory's own client of Keto, unmodified, for each endpoint. Runs against our own server, or a real one
// (test/support/permission-server.ts).

import {
  Configuration,
  MetadataApi,
  PermissionApi,
  type Relationship,
  RelationshipApi,
} from '@ory/keto-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPermissions, type Permissions, unique } from '../../../test/support/permission-server.ts'

let server: Permissions
let reader: RelationshipApi
let writer: RelationshipApi
let syntax: RelationshipApi
let permissions: PermissionApi

beforeAll(async () => {
  server = await openPermissions()
  const at = (basePath: string) => new Configuration({ basePath })
  reader = new RelationshipApi(at(server.readUrl))
  writer = new RelationshipApi(at(server.writeUrl))
  syntax = new RelationshipApi(at(server.syntaxUrl))
  permissions = new PermissionApi(at(server.readUrl))
})
afterAll(() => server?.[Symbol.asyncDispose]())

const ofAnn = (object: string): Relationship => ({
  namespace: 'Project',
  object,
  relation: 'owner',
  subject_id: 'ann',
})

/** The query form of a relationship with a subject id. */
function asQuery({ namespace, object, relation, subject_id }: Relationship) {
  return { namespace, object, relation, ...(subject_id !== undefined && { subjectId: subject_id }) }
}

describe('relationships', () => {
  it('are created, listed by pages and deleted', async () => {
    const p = unique('p')
    const set = { namespace: 'Organization', object: p, relation: 'member' }
    const viaSet = { namespace: 'Project', object: p, relation: 'viewer', subject_set: set }
    for (const body of [ofAnn(p), viaSet]) {
      const created = await writer.createRelationship({ createRelationshipBody: body })
      expect(created.status).toBe(201)
      expect(created.data).toEqual(body)
    }
    const first = (await reader.getRelationships({ namespace: 'Project', object: p, pageSize: 1 })).data
    const pageToken = first.next_page_token ?? ''
    const second = (
      await reader.getRelationships({ namespace: 'Project', object: p, pageSize: 1, pageToken })
    ).data
    const found = [...(first.relation_tuples ?? []), ...(second.relation_tuples ?? [])]
    expect(found).toEqual(expect.arrayContaining([ofAnn(p), viaSet]))
    expect(second.next_page_token).toBe('')
    const bySet = await reader.getRelationships({
      subjectSetNamespace: set.namespace,
      subjectSetObject: set.object,
      subjectSetRelation: set.relation,
    })
    expect(bySet.data.relation_tuples).toEqual([viaSet])
    expect((await writer.deleteRelationships(asQuery(ofAnn(p)))).status).toBe(204)
    expect((await reader.getRelationships({ object: p })).data.relation_tuples).toEqual([viaSet])
  })

  it('are patched in one call', async () => {
    const p = unique('p')
    const changes = (action: 'insert' | 'delete') => [{ action, relation_tuple: ofAnn(p) }]
    for (const [action, count] of [
      ['insert', 1],
      ['delete', 0],
    ] as const) {
      expect((await writer.patchRelationships({ relationshipPatch: changes(action) })).status).toBe(204)
      expect((await reader.getRelationships(asQuery(ofAnn(p)))).data.relation_tuples).toHaveLength(count)
    }
  })

  it('have namespaces', async () => {
    const { namespaces } = (await reader.listRelationshipNamespaces()).data
    expect(namespaces?.map(({ name }) => name).sort()).toEqual(['Organization', 'Project', 'User'])
  })

  it('have a language whose syntax is checked', async () => {
    expect(
      (await syntax.checkOplSyntax({ body: 'class User implements Namespace {}' })).data.errors,
    ).toBeUndefined()
    const { errors = [] } = (await syntax.checkOplSyntax({ body: 'class User' })).data
    expect(errors).toHaveLength(1)
    expect(errors[0]?.message).toContain('implements')
  })
})

describe('permissions', () => {
  it('are checked in all four ways', async () => {
    const p = unique('p')
    await writer.createRelationship({ createRelationshipBody: ofAnn(p) })
    const yes = { ...ofAnn(p), relation: 'view' }
    const no = { ...yes, subject_id: 'bob' }
    expect((await permissions.checkPermission(asQuery(yes))).data).toEqual({ allowed: true })
    expect((await permissions.checkPermission(asQuery(no))).data).toEqual({ allowed: false })
    expect((await permissions.postCheckPermission({ postCheckPermissionBody: no })).data).toEqual({
      allowed: false,
    })
    expect((await permissions.checkPermissionOrError(asQuery(yes))).data).toEqual({ allowed: true })
    const denied = { response: { status: 403, data: { allowed: false } } }
    await expect(permissions.checkPermissionOrError(asQuery(no))).rejects.toMatchObject(denied)
    await expect(
      permissions.postCheckPermissionOrError({ postCheckPermissionOrErrorBody: no }),
    ).rejects.toMatchObject(denied)
  })

  it('are checked many at once', async () => {
    const p = unique('p')
    await writer.createRelationship({ createRelationshipBody: ofAnn(p) })
    const tuples = [ofAnn(p), { ...ofAnn(p), subject_id: 'bob' }, { ...ofAnn(p), namespace: 'Nowhere' }]
    const { results } = (await permissions.batchCheckPermission({ batchCheckPermissionBody: { tuples } }))
      .data
    expect(results.map(({ allowed }) => allowed)).toEqual([true, false, false])
    expect(results[2]?.error).toBeTruthy()
  })

  it('are expanded to a tree', async () => {
    const p = unique('p')
    await writer.createRelationship({ createRelationshipBody: ofAnn(p) })
    const { data } = await permissions.expandPermissions({
      namespace: 'Project',
      object: p,
      relation: 'owner',
      maxDepth: 3,
    })
    expect(data).toMatchObject({ type: 'union', children: [{ type: 'leaf', tuple: { subject_id: 'ann' } }] })
  })
})

describe('metadata', () => {
  it('says that the server is well, and which', async () => {
    for (const basePath of [server.readUrl, server.writeUrl, server.syntaxUrl]) {
      const metadata = new MetadataApi(new Configuration({ basePath }))
      expect((await metadata.isAlive()).data).toEqual({ status: 'ok' })
      expect((await metadata.isReady()).data).toEqual({ status: 'ok' })
      expect((await metadata.getVersion()).data.version).toContain('v26.2.0')
    }
  })
})
