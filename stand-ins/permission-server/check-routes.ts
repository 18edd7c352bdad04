// Checks: one by GET or POST, with the answer in the status or without (`/openapi`), and several at once.

import * as z from 'zod'
import type { RequestContext } from '../service/listen.ts'
import { queryOf, type Route } from '../service/route-table.ts'
import { answerJson } from '../service/wire-answers.ts'
import { toWireError, unreadable, WireError } from '../service/wire-error.ts'
import { depthOf, isMember } from './check.ts'
import type { PermissionContext } from './context.ts'
import { SubjectFacts } from './facts.ts'
import type { Namespaces } from './namespaces.ts'
import { readBody, readMaxDepth } from './request.ts'
import { readTuple, subjectKey, type Tuple, TupleIn } from './tuple.ts'

const BATCH_MAX = 10

type ReadTuple = (c: RequestContext) => Promise<Tuple> | Tuple

export function checkRoutes(context: PermissionContext): Route[] {
  const fromQuery: ReadTuple = c => readTuple(queryOf(c))
  const fromBody: ReadTuple = c => readBody(c, TupleIn)
  return [
    ...(['/relation-tuples/check', '/relation-tuples/check/openapi'] as const).flatMap((path, i): Route[] => {
      const deniedStatus = i === 0 ? 403 : 200
      return [
        { method: 'GET', path, handle: c => answerCheck(context, c, fromQuery, deniedStatus) },
        { method: 'POST', path, handle: c => answerCheck(context, c, fromBody, deniedStatus) },
      ]
    }),
    { method: 'POST', path: '/relation-tuples/batch/check', handle: c => answerBatch(context, c) },
  ]
}

async function answerCheck(
  context: PermissionContext,
  c: RequestContext,
  read: ReadTuple,
  deniedStatus: 200 | 403,
): Promise<Response> {
  const maxDepth = readMaxDepth(queryOf(c))
  const tuple = await read(c)
  const namespaces = await context.namespaceFile.current()
  const check = checkWith(context, namespaces, maxDepth)
  const allowed = await check(tuple).catch(deniedWhenUnknown)
  return answerJson(c, { allowed }, allowed ? 200 : deniedStatus)
}

async function answerBatch(context: PermissionContext, c: RequestContext): Promise<Response> {
  const maxDepth = readMaxDepth(queryOf(c))
  const { tuples } = await readBody(c, BatchIn)
  if (tuples.length > BATCH_MAX) throw unreadable(`batch exceeds max size of ${BATCH_MAX}`)
  const namespaces = await context.namespaceFile.current()
  const check = checkWith(context, namespaces, maxDepth)
  const results = await Promise.all(
    tuples.map(async tuple => {
      try {
        return { allowed: await check(tuple) }
      } catch (err) {
        return { allowed: false, error: toWireError(err).message }
      }
    }),
  )
  return answerJson(c, { results })
}

const BatchIn = z.object({
  tuples: z
    .array(TupleIn)
    .nullish()
    .transform(tuples => tuples ?? []),
})

/**
 * A check for tuples that are asked about together. It throws 404 for an unknown namespace, of the tuple or of its
 * subject set, and 400 for a tuple without a subject.
 */
function checkWith({ db, depthMax }: PermissionContext, namespaces: Namespaces, maxDepth: number) {
  return async (tuple: Tuple): Promise<boolean> => {
    namespaces.requireOf(tuple)
    const { namespace, object, relation } = tuple
    const facts = new SubjectFacts(db, namespaces, subjectKey(tuple))
    return isMember(namespaces, facts, { namespace, object, relation }, depthOf(maxDepth, depthMax))
  }
}

/** What nobody knows is denied, where one is asked for alone. */
function deniedWhenUnknown(err: unknown): false {
  if (err instanceof WireError && err.httpStatus === 404) return false
  throw err
}
