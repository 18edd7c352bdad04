// Reading what is stored: lists by filters, the tree of who is in a set, and the names of the namespaces.

import type { RequestContext } from '../service/listen.ts'
import { queryOf, type Route } from '../service/route-table.ts'
import { answerJson } from '../service/wire-answers.ts'
import { WireError } from '../service/wire-error.ts'
import { depthOf } from './check.ts'
import type { PermissionContext } from './context.ts'
import { expandSet } from './expand.ts'
import { readMaxDepth } from './max-depth.ts'
import { readFilter, type TupleFilter } from './tuple.ts'
import { listTuples } from './tuple-store.ts'

export function readRoutes(context: PermissionContext): Route[] {
  return [
    { method: 'GET', path: '/relation-tuples', handle: c => answerList(context, c) },
    { method: 'GET', path: '/relation-tuples/expand', handle: c => answerTree(context, c) },
    { method: 'GET', path: '/namespaces', handle: c => answerNamespaces(context, c) },
  ]
}

async function answerList(
  { db, namespaceFile, pageTokens }: PermissionContext,
  c: RequestContext,
): Promise<Response> {
  const query = queryOf(c)
  const filter = readFilter(query)
  const list = listOf(filter)
  const page = pageTokens.read(list, query)
  const namespaces = await namespaceFile.current()
  namespaces.requireOfFilter(filter)
  const { tuples, next } = await listTuples(db, filter, page)
  const token = next === undefined ? '' : pageTokens.write(list, next)
  return answerJson(c, { relation_tuples: tuples, next_page_token: token })
}

/**
 * Tokens are not bound to the filters, but to their kind, as with Keto: it reads a namespace, an object in it, or a
 * relation of that by another index than the rest.
 */
function listOf({ namespace, object, relation, subject_id, subject_set }: TupleFilter): string {
  const given = [namespace, object, relation].map(part => part !== undefined)
  const hasSubject = subject_id !== undefined || subject_set !== undefined
  const isNarrowing = given[0] && (given[1] || !given[2])
  return isNarrowing && !hasSubject ? 'tuples of a namespace' : 'tuples'
}

async function answerTree(
  { db, namespaceFile, depthMax }: PermissionContext,
  c: RequestContext,
): Promise<Response> {
  const query = queryOf(c)
  const depth = depthOf(readMaxDepth(query), depthMax)
  const [namespace = '', object = '', relation = ''] = ['namespace', 'object', 'relation'].map(
    key => query.get(key) ?? '',
  )
  const namespaces = await namespaceFile.current()
  namespaces.require(namespace)
  const tree = await expandSet(db, namespaces, { namespace, object, relation }, depth)
  // An error in an answer that says 200: so does Keto.
  return answerJson(c, tree ?? new WireError(404, { message: 'no relation tuple found' }).body)
}

async function answerNamespaces({ namespaceFile }: PermissionContext, c: RequestContext): Promise<Response> {
  const { names } = await namespaceFile.current()
  return answerJson(c, { namespaces: names.map(name => ({ name })) })
}
