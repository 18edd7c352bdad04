// Who may do what: relation tuples, checks, and who can access an object.

import { checkPermission } from '../features/permissions/check-permission.ts'
import { deleteTuple, deleteTuples } from '../features/permissions/delete-tuples.ts'
import { explainPermission } from '../features/permissions/explain-permission.ts'
import { listSubjectTuples, listTuples } from '../features/permissions/list-tuples.ts'
import { readNamespaces } from '../features/permissions/read-namespaces.ts'
import {
  AccessQuestion,
  AccessReport,
  NamespaceList,
  PermissionCheck,
  PermissionExplanation,
  RelationTupleIn,
  SubjectText,
  SubjectTuples,
  TupleDeletion,
  TupleImport,
  TupleList,
  TupleListQuery,
  TupleNames,
  TuplesIn,
  TupleWritten,
} from '../features/permissions/schemas.ts'
import { whoCanAccess } from '../features/permissions/who-can-access.ts'
import { importTuples, writeTuple } from '../features/permissions/write-tuples.ts'
import { defineRoute } from '../http/route.ts'

/** 500 tuples of the longest names, whatever their letters. */
const TUPLES_BYTES_MAX = 8 * 1024 * 1024
const EXAMPLE = 'Project:apollo#editor@Organization:acme#member'

export const permissionRoutes = [
  defineRoute({
    id: 'permissions.import',
    method: 'post',
    mounts: { '/api/permsrv/relation-tuples/import': 'session' },
    summary: 'Write up to 500 relation tuples, all or none',
    description:
      'In one write. Tuples that are there already are skipped, also when two imports run at once: writers of one ' +
      'deployment wait for each other. A writer that goes to the permission server past Quoin may still store one ' +
      'twice, which changes no check. A wrong tuple is 422 with its index.',
    body: TuplesIn,
    bodyBytesMax: TUPLES_BYTES_MAX,
    example: {
      tuples: [
        EXAMPLE,
        { namespace: 'Organization', object: 'acme', relation: 'member', subject_id: 'alice' },
      ],
    },
    response: TupleImport,
    handle: ({ deps, caller, body }) => importTuples(deps, caller, body.tuples),
  }),
  defineRoute({
    id: 'permissions.batch_delete',
    method: 'post',
    mounts: { '/api/permsrv/relation-tuples/batch-delete': 'session' },
    summary: 'Delete up to 500 relation tuples, all or none',
    description: 'Exact tuples only; those that are not there are no error.',
    body: TuplesIn,
    bodyBytesMax: TUPLES_BYTES_MAX,
    example: { tuples: [EXAMPLE] },
    response: TupleDeletion,
    handle: ({ deps, caller, body }) => deleteTuples(deps, caller, body.tuples),
  }),
  defineRoute({
    id: 'permissions.subject_tuples',
    method: 'get',
    mounts: { '/api/permsrv/subject-tuples/:subject': 'session' },
    params: { subject: SubjectText },
    summary: 'List every relation tuple with a subject, across all namespaces',
    description: 'What the subject has directly; what it has through subject sets, `who-can-access` tells.',
    response: SubjectTuples,
    handle: ({ deps, params }) => listSubjectTuples(deps, params.subject),
  }),
  defineRoute({
    id: 'permissions.who_can_access',
    method: 'post',
    mounts: { '/api/permsrv/who-can-access': 'session' },
    summary: 'Say who can access an object, by which relations and permits, and why',
    description:
      'Agrees with checks made one by one. `complete: false` says that something may be missing, and why: beyond the ' +
      "permission server's depth its checks say no, though tuples lead there. Permits have their own completeness.",
    body: AccessQuestion,
    example: { namespace: 'Project', object: 'apollo' },
    response: AccessReport,
    unaudited: 'no_change',
    handle: ({ deps, body }) => whoCanAccess(deps, body),
  }),
  defineRoute({
    id: 'permissions.check',
    method: 'post',
    mounts: { '/api/permsrv/check': 'session' },
    summary: 'Say whether a subject has a relation or permit',
    body: RelationTupleIn,
    example: { namespace: 'Project', object: 'apollo', relation: 'view', subject_id: 'alice' },
    response: PermissionCheck,
    unaudited: 'no_change',
    handle: ({ deps, body }) => checkPermission(deps, body),
  }),
  defineRoute({
    id: 'permissions.explain',
    method: 'post',
    mounts: { '/api/permsrv/explain': 'session' },
    summary: 'Say why a subject has a relation or permit, or why not',
    description:
      'The tuples that lead from the object to the subject; or that none do; or which limit was reached.',
    body: RelationTupleIn,
    example: { namespace: 'Project', object: 'apollo', relation: 'view', subject_id: 'alice' },
    response: PermissionExplanation,
    unaudited: 'no_change',
    handle: ({ deps, body }) => explainPermission(deps, body),
  }),
  defineRoute({
    id: 'permissions.list',
    method: 'get',
    mounts: { '/api/permsrv/tuples': 'session' },
    summary: 'Browse relation tuples',
    description:
      'Filters are exact and joined by "and". The order is the permission server’s and means nothing.',
    query: TupleListQuery,
    response: TupleList,
    handle: ({ deps, query }) => listTuples(deps, query),
  }),
  defineRoute({
    id: 'permissions.write',
    method: 'put',
    mounts: { '/api/permsrv/tuples': 'session' },
    summary: 'Write one relation tuple, unless it is there',
    description: '201 when it was written, 200 when it was there already.',
    body: RelationTupleIn,
    example: EXAMPLE,
    response: TupleWritten,
    documented: {
      answers: {
        200: { description: 'It was there already', content: { 'application/json': TupleWritten } },
        201: { description: 'It was written', content: { 'application/json': TupleWritten } },
      },
    },
    handle: async ({ deps, caller, body }) => {
      const written = await writeTuple(deps, caller, body)
      return written.created ? Response.json(written, { status: 201 }) : written
    },
  }),
  defineRoute({
    id: 'permissions.delete',
    method: 'delete',
    mounts: { '/api/permsrv/tuples': 'session' },
    summary: 'Delete one relation tuple',
    description:
      'All four parameters are needed: nothing is ever taken for "any". One that is not there is no error.',
    query: TupleNames,
    response: TupleDeletion,
    handle: ({ deps, caller, query }) => deleteTuple(deps, caller, query),
  }),
  defineRoute({
    id: 'permissions.namespaces',
    method: 'get',
    mounts: { '/api/permsrv/namespaces': 'session' },
    summary: 'List namespaces with their relations and permits',
    description: 'With the text of the permission file, and how many subjects have each relation.',
    response: NamespaceList,
    handle: ({ deps }) => readNamespaces(deps),
  }),
]
