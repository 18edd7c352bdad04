// Which of some tuples the permission server has.

import type { Upstream } from '../../clients/http.ts'
import type { RelationTuple, TupleFilter } from '../../clients/permission-server.ts'
import { concurrently } from '../../lib/concurrently.ts'
import { tuplePages } from './tuple-pages.ts'
import { printSubject, printSubjectSet, printTuple } from './tuple-text.ts'

/** A Worker has six connections at a time. */
const CALLS_AT_ONCE = 6

/**
 * The text forms of those tuples that are stored. Asks for what several have in common, an object's relation or a
 * subject, where that takes fewer calls. Throws `unknown_namespace` and the `upstream_*` errors.
 */
export async function findStored(
  read: Upstream,
  tuples: readonly RelationTuple[],
): Promise<ReadonlySet<string>> {
  const stored = new Set<string>()
  await concurrently(groupsOf(tuples), CALLS_AT_ONCE, group => findGroup(read, group, stored))
  return stored
}

interface Group {
  readonly filter: TupleFilter
  readonly tuples: readonly RelationTuple[]
}

function groupsOf(tuples: readonly RelationTuple[]): Group[] {
  const byObject = [...Map.groupBy(tuples, tuple => printSubjectSet(tuple)).values()]
  const bySubject = [...Map.groupBy(tuples, tuple => printSubject(tuple)).values()]
  const isByObject = byObject.length <= bySubject.length
  return (isByObject ? byObject : bySubject).flatMap(group => {
    const [first] = group
    if (first === undefined) return []
    if (group.length === 1) return exactly(first)
    return { filter: isByObject ? namesOf(first) : { subject: first }, tuples: group }
  })
}

/** What they have in common may be stored many times: no more pages are read than the tuples would take one by one. */
async function findGroup(read: Upstream, { filter, tuples }: Group, stored: Set<string>): Promise<void> {
  const wanted = new Set(tuples.map(printTuple))
  let pages = 0
  for await (const page of tuplePages(read, filter)) {
    for (const text of page.tuples.map(printTuple)) if (wanted.delete(text)) stored.add(text)
    pages += 1
    if (page.isLast || wanted.size === 0) return
    if (pages >= tuples.length) break
  }
  const others = tuples.filter(tuple => wanted.has(printTuple(tuple)))
  for (const other of others) await findGroup(read, exactly(other), stored)
}

function exactly(tuple: RelationTuple): Group {
  return { filter: { ...namesOf(tuple), subject: tuple }, tuples: [tuple] }
}

function namesOf({ namespace, object, relation }: RelationTuple): TupleFilter {
  return { namespace, object, relation }
}
