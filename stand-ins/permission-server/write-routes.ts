// Writing tuples: PUT one, DELETE by a filter, PATCH many. What is there already is not looked for: the same tuple may
// be written again and again, and a delete takes all copies.

import * as z from 'zod'
import type { Queryable } from '../service/database.ts'
import { Text } from '../service/json-body.ts'
import type { RequestContext } from '../service/listen.ts'
import { queryOf, type Route } from '../service/route-table.ts'
import { answerJson } from '../service/wire-answers.ts'
import { badRequest, unreadable, WireError } from '../service/wire-error.ts'
import type { PermissionContext } from './context.ts'
import { readBody } from './request.ts'
import { FILTER_KEYS, noSubject, readFilter, type Tuple, TupleIn, tupleQuery } from './tuple.ts'
import { deleteMatching, deleteTuples, insertTuples } from './tuple-store.ts'

const PATH = '/admin/relation-tuples'
/** Clients refuse longer headers, and nobody follows this one. */
const LOCATION_LENGTH_MAX = 8 * 1024
/** As in the table. */
const RELATION_LENGTH_MAX = 64
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
  refuseZeroBytes(tuple)
  await insert(db, [tuple])
  const location = `/relation-tuples?${tupleQuery(tuple)}`
  if (location.length <= LOCATION_LENGTH_MAX) c.header('location', location)
  return answerJson(c, tuple, 201)
}

async function deleteByFilter(
  { db, namespaceFile }: PermissionContext,
  c: RequestContext,
): Promise<Response> {
  const query = queryOf(c)
  const complaints = complaintsAbout(c, query)
  if (complaints.length > 0) throw badRequest(complaints.join('; '))
  const filter = readFilter(query)
  const namespaces = await namespaceFile.current()
  namespaces.requireOfFilter(filter)
  await deleteMatching(db, filter)
  return c.body(null, 204)
}

/** A body of unknown length counts even when nothing is in it. */
function complaintsAbout(c: RequestContext, query: URLSearchParams): string[] {
  const unknown = [...query.keys()].find(key => !KNOWN_KEYS.has(key))
  const hasBody =
    Number(c.req.header('content-length') ?? 0) > 0 || c.req.header('transfer-encoding') !== undefined
  return [
    ...(unknown === undefined ? [] : [`query parameter key ${JSON.stringify(unknown)} unknown`]),
    ...(query.has('namespace')
      ? []
      : ['query parameters must specify at least one of the following: namespace']),
    ...(hasBody ? ['body is not empty'] : []),
  ]
}

async function patchTuples({ db, namespaceFile }: PermissionContext, c: RequestContext): Promise<Response> {
  const sent = await readBody(c, ChangesIn, [])
  const changes = sent.map(requireWhole)
  const tuplesTo = (action: string) =>
    changes.flatMap(change => (change.action === action ? change.tuple : []))
  const [inserts, deletes] = [tuplesTo('insert'), tuplesTo('delete')]
  const namespaces = await namespaceFile.current()
  for (const tuple of [...inserts, ...deletes]) namespaces.requireOf(tuple)
  for (const tuple of [...inserts, ...deletes]) refuseZeroBytes(tuple)
  await db.inTransaction(async tx => {
    await insert(tx, inserts)
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

/** Keto meets this, and what `insert` finds, in its database: hence the 500, which says less there. */
function refuseZeroBytes({ object, relation, subject_id, subject_set }: Tuple): void {
  const subject = subject_id ?? `${subject_set?.object}${subject_set?.relation}`
  if (`${object}${relation}${subject}`.includes('\0'))
    throw new WireError(500, { reason: 'A text holds a zero byte.' })
}

async function insert(db: Queryable, tuples: readonly Tuple[]): Promise<void> {
  for (const { relation, subject_set } of tuples)
    for (const text of [relation, subject_set?.relation ?? ''])
      if ([...text].length > RELATION_LENGTH_MAX)
        throw new WireError(500, { reason: `A relation has more than ${RELATION_LENGTH_MAX} characters.` })
  await insertTuples(db, tuples)
}
