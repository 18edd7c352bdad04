// Relation tuples, browsed by what they have in common.

import { invalidCursor, readCursor, writeCursor } from '../../clients/page-cursor.ts'
import { listTuples as askForTuples } from '../../clients/permission-server.ts'
import type { PermissionReadDeps } from './permission-deps.ts'
import type { SubjectTuples, TupleList, TupleListQuery } from './schemas.ts'
import { unknownNamespace } from './tuple-errors.ts'
import { readSubject } from './tuple-input.ts'
import { tuplePages } from './tuple-pages.ts'
import { printSubject } from './tuple-text.ts'

/**
 * One page, in the permission server's order, which it promises nothing about. Throws `unknown_namespace`,
 * `invalid_parameter` for a cursor that is not of this list, and the `upstream_*` errors.
 */
export async function listTuples(
  { upstreams }: PermissionReadDeps,
  { limit, cursor, subject, ...names }: TupleListQuery,
): Promise<TupleList> {
  const filter = { ...names, subject: subject === undefined ? undefined : readSubject(subject, 'query') }
  const token = readCursor(cursor)
  const answer = await askForTuples(upstreams.permissionRead, filter, { size: limit, token })
  if (answer.outcome === 'unknown_namespace') throw unknownNamespace(filter)
  if (answer.outcome === 'refused_token') throw invalidCursor()
  return { data: [...answer.tuples], next_cursor: writeCursor(answer.nextPageToken) }
}

/** Every tuple with this subject, a text form, in all namespaces (Spec), as far as the bounds of an answer reach. */
export async function listSubjectTuples(
  { upstreams, config }: PermissionReadDeps,
  text: string,
): Promise<SubjectTuples> {
  const subject = readSubject(text, 'subject')
  const tuples: SubjectTuples['tuples'] = []
  let truncated_by: SubjectTuples['truncated_by'] = 'calls'
  for await (const page of tuplePages(upstreams.permissionRead, { subject })) {
    for (const tuple of page.tuples) tuples.push(tuple)
    if (page.isLast) truncated_by = null
    else if (tuples.length >= config.permissionTuplesMax) truncated_by = 'tuples'
    if (truncated_by !== 'calls') break
  }
  return { subject: printSubject(subject), tuples, complete: truncated_by === null, truncated_by }
}
