// Reading what is stored: lists by filters, the tree of who is in a set, and the names of the namespaces.

import type { RequestContext } from '../service/listen.ts'
import { queryOf, type Route } from '../service/route-table.ts'
import { answerJson } from '../service/wire-answers.ts'
import { WireError } from '../service/wire-error.ts'
import { depthOf } from './check.ts'
import type { PermissionContext } from './context.ts'
import { expandSet } from './expand.ts'
import { readMaxDepth } from './request.ts'
import { readFilter } from './tuple.ts'
import { listTuples } from './tuple-store.ts'

/** Page tokens go with any filter. */
const LIST = 'tuples'

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
  const page = pageTokens.read(LIST, query)
  const namespaces = await namespaceFile.current()
  namespaces.requireOfFilter(filter)
  const { tuples, next } = await listTuples(db, filter, page)
  const token = next === undefined ? '' : pageTokens.write(LIST, next)
  return answerJson(c, { relation_tuples: tuples, next_page_token: token })
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
