// Which of some tuples the permission server has.

import type { Upstream } from '../../clients/http.ts'
import type { RelationTuple, TupleFilter } from '../../clients/permission-server.ts'
import { concurrently } from '../../lib/concurrently.ts'
import { CALLS_AT_ONCE, tuplePages } from './tuple-pages.ts'
import { printSubject, printSubjectSet, printTuple } from './tuple-text.ts'

/** What several tuples have in common, to be asked for at once. */
interface Sharing {
  /** The same text for tuples that share it. */
  readonly keyOf: (tuple: RelationTuple) => string
  readonly filterOf: (tuple: RelationTuple) => TupleFilter
  /** How many pages are worth reading for so many tuples: what is found in vain costs a part more, never twice. */
  readonly pagesFor: (tuples: number) => number
}

const RELATION: Sharing = {
  keyOf: ({ namespace, relation }) => JSON.stringify([namespace, relation]),
  filterOf: ({ namespace, relation }) => ({ namespace, relation }),
  pagesFor: tuples => Math.floor(tuples / 20),
}
const OBJECT: Sharing = {
  keyOf: printSubjectSet,
  filterOf: ({ namespace, object, relation }) => ({ namespace, object, relation }),
  pagesFor: tuples => Math.floor(tuples / 4),
}
const SUBJECT: Sharing = { ...OBJECT, keyOf: printSubject, filterOf: subject => ({ subject }) }
const ALL: Sharing = {
  keyOf: printTuple,
  filterOf: tuple => ({ ...OBJECT.filterOf(tuple), subject: tuple }),
  pagesFor: () => 1,
}

/**
 * The text forms of those tuples that are stored. Each step asks for what tuples share, and leaves to the next what is
 * not decided then. Throws `unknown_namespace` and the `upstream_*` errors.
 */
export async function findStored(
  read: Upstream,
  tuples: readonly RelationTuple[],
): Promise<ReadonlySet<string>> {
  const stored = new Set<string>()
  let undecided = tuples
  for (const sharing of [RELATION, fewerGroups(tuples), ALL]) {
    const left: RelationTuple[] = []
    await concurrently(groupsOf(undecided, sharing), CALLS_AT_ONCE, async group => {
      for (const tuple of await look(read, sharing, group, stored)) left.push(tuple)
    })
    undecided = left
  }
  return stored
}

/** Adds to `stored` what is found, and answers what is neither found nor known to be missing. */
async function look(
  read: Upstream,
  { filterOf, pagesFor }: Sharing,
  group: readonly RelationTuple[],
  stored: Set<string>,
): Promise<readonly RelationTuple[]> {
  const [first] = group
  const pagesMax = pagesFor(group.length)
  if (first === undefined || pagesMax === 0) return group
  const wanted = new Map(group.map(tuple => [printTuple(tuple), tuple]))
  for await (const page of tuplePages(read, filterOf(first), pagesMax)) {
    for (const text of page.tuples.map(printTuple)) if (wanted.delete(text)) stored.add(text)
    if (page.isLast || wanted.size === 0) return []
  }
  return [...wanted.values()]
}

function fewerGroups(tuples: readonly RelationTuple[]): Sharing {
  return groupsOf(tuples, OBJECT).length <= groupsOf(tuples, SUBJECT).length ? OBJECT : SUBJECT
}

function groupsOf(tuples: readonly RelationTuple[], { keyOf }: Sharing): RelationTuple[][] {
  return [...Map.groupBy(tuples, keyOf).values()]
}
