// Relation tuples, browsed by what they have in common.

import { invalidCursor, readCursor, writeCursor } from '../../clients/page-cursor.ts'
import { listTuples as askForTuples } from '../../clients/permission-server.ts'
import type { PermissionReadDeps } from './permission-deps.ts'
import type { SubjectTuples, TupleList, TupleListQuery } from './schemas.ts'
import { tuplePages } from './tuple-pages.ts'
import { parseSubject, printSubject } from './tuple-text.ts'
import { unknownNamespace } from './unknown-namespace.ts'

/**
 * One page, in the permission server's order, which it promises nothing about. Throws `unknown_namespace`,
 * `invalid_parameter` for a cursor that is not of this list, and the `upstream_*` errors.
 */
export async function listTuples(
  { upstreams }: PermissionReadDeps,
  { limit, cursor, subject, ...names }: TupleListQuery,
): Promise<TupleList> {
  const filter = { ...names, subject: subject === undefined ? undefined : parseSubject(subject) }
  const token = readCursor(cursor)
  const answer = await askForTuples(upstreams.permissionRead, filter, { size: limit, token })
  if (answer.outcome === 'unknown_namespace') throw unknownNamespace(filter)
  if (answer.outcome === 'refused_token') throw invalidCursor()
  return { data: [...answer.tuples], next_cursor: writeCursor(answer.nextPageToken) }
}

/** Every tuple with this subject, a text form, in all namespaces (Spec), as far as `permissionTuplesMax` reaches. */
export async function listSubjectTuples(
  { upstreams, config }: PermissionReadDeps,
  text: string,
): Promise<SubjectTuples> {
  const subject = parseSubject(text)
  const tuples: SubjectTuples['tuples'] = []
  for await (const page of tuplePages(upstreams.permissionRead, { subject })) {
    tuples.push(...page.tuples)
    if (!page.isLast && tuples.length >= config.permissionTuplesMax)
      return { subject: printSubject(subject), tuples, complete: false, truncated_by: 'tuples' }
  }
  return { subject: printSubject(subject), tuples, complete: true, truncated_by: null }
}
