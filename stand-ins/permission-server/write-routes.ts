// Writing tuples: PUT one, DELETE by a filter, PATCH many. What is there already is not looked for: the same tuple may
// be written again and again, and a delete takes all copies.

import * as z from 'zod'
import { Text } from '../service/json-body.ts'
import type { RequestContext } from '../service/listen.ts'
import { queryOf, type Route } from '../service/route-table.ts'
import { answerJson } from '../service/wire-answers.ts'
import { badRequest, unreadable } from '../service/wire-error.ts'
import type { PermissionContext } from './context.ts'
import { readBody } from './request.ts'
import { FILTER_KEYS, noSubject, readFilter, type Tuple, TupleIn } from './tuple.ts'
import { deleteMatching, deleteTuples, insertTuples } from './tuple-store.ts'

const PATH = '/admin/relation-tuples'
/** `subject` has a refusal of its own. */
const KNOWN_KEYS: ReadonlySet<string> = new Set([...FILTER_KEYS, 'subject'])

interface Change {
  readonly action: string
  readonly tuple: Tuple
}

export function writeRoutes(context: PermissionContext): Route[] {
  return [
    { method: 'PUT', path: PATH, handle: c => putTuple(context, c) },
    { method: 'DELETE', path: PATH, handle: c => deleteByFilter(context, c) },
    { method: 'PATCH', path: PATH, handle: c => patchTuples(context, c) },
  ]
}

async function putTuple({ db, namespaceFile }: PermissionContext, c: RequestContext): Promise<Response> {
  const tuple = await readBody(c, TupleIn)
  requireSubject(tuple)
  const namespaces = await namespaceFile.current()
  namespaces.requireOf(tuple)
  await insertTuples(db, [tuple])
  return answerJson(c, tuple, 201)
}

async function deleteByFilter(
  { db, namespaceFile }: PermissionContext,
  c: RequestContext,
): Promise<Response> {
  const query = queryOf(c)
  const unknown = [...query.keys()].find(key => !KNOWN_KEYS.has(key))
  if (unknown !== undefined) throw badRequest(`query parameter key ${JSON.stringify(unknown)} unknown`)
  if (!query.has('namespace')) throw badRequest('a deletion names a namespace')
  if ((await c.req.text()) !== '') throw badRequest('body is not empty')
  const filter = readFilter(query)
  const namespaces = await namespaceFile.current()
  namespaces.requireOfFilter(filter)
  await deleteMatching(db, filter)
  return c.body(null, 204)
}

async function patchTuples({ db, namespaceFile }: PermissionContext, c: RequestContext): Promise<Response> {
  const sent = await readBody(c, ChangesIn, [])
  const changes = sent.map(requireWhole)
  const tuplesTo = (action: string) =>
    changes.flatMap(change => (change.action === action ? change.tuple : []))
  const [inserts, deletes] = [tuplesTo('insert'), tuplesTo('delete')]
  const namespaces = await namespaceFile.current()
  for (const tuple of [...inserts, ...deletes]) namespaces.requireOf(tuple)
  await db.inTransaction(async tx => {
    await insertTuples(tx, inserts)
    await deleteTuples(tx, deletes)
  })
  return c.body(null, 204)
}

const ChangesIn = z.array(z.object({ action: Text, relation_tuple: TupleIn.nullish() }))

function requireWhole({ action, relation_tuple: tuple }: z.infer<typeof ChangesIn>[number]): Change {
  if (!tuple) throw unreadable('relation_tuple is missing')
  requireSubject(tuple)
  if (action !== 'insert' && action !== 'delete') throw unreadable(`unknown action ${action}`)
  return { action, tuple }
}

function requireSubject({ subject_id, subject_set }: Tuple): void {
  if (subject_id === undefined && subject_set === undefined) throw noSubject()
}
