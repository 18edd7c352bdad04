// The tree of who is in a set: its subjects, and the subjects of the sets among them. Permits are not looked into. A
// set that stands in the tree already is a leaf the next time. Sets stand before ids and in the order of their parts:
// so Keto lists them. The sets of one level are read together, so a tree takes no more queries than it is deep.

import type { Database } from '../service/database.ts'
import { tooMuch } from './check.ts'
import type { Namespaces } from './namespaces.ts'
import { type Subject, type SubjectSet, setKey } from './tuple.ts'
import { type SubjectRow, toSubject } from './tuple-store.ts'

const ROWS_MAX = 20_000

const SUBJECTS = `
  select set_key, subject_id, subject_set_namespace, subject_set_object, subject_set_relation
  from relation_tuples
  where set_key = any($1)
  order by subject_id collate "C" nulls first, subject_set_namespace collate "C", subject_set_object collate "C",
    subject_set_relation collate "C", id
  limit $2`

/** Of the tuple only its subject means something. */
export interface Tree {
  readonly type: 'union' | 'leaf'
  readonly children?: readonly Tree[]
  readonly tuple: SubjectSet & Subject
}

/** What is stored under sets, by their keys. */
type Stored = ReadonlyMap<string, readonly Subject[]>

/**
 * Undefined when nothing is stored under the set. Nodes at `depth` are leaves, also when they are sets with members.
 * Throws 404 for a set of an unknown namespace within, and 422 when the tree is larger than 20 000 subjects.
 */
export async function expandSet(
  db: Database,
  namespaces: Namespaces,
  root: SubjectSet,
  depth: number,
): Promise<Tree | undefined> {
  return growTree(await readLevels(db, root, depth), namespaces, root, depth, new Set())
}

async function readLevels(db: Database, root: SubjectSet, depth: number): Promise<Stored> {
  const stored = new Map<string, Subject[]>()
  let left = ROWS_MAX
  let level = [setKey(root)]
  // The sets of the last level are leaves whatever they hold; of the root alone it counts whether it holds anything.
  for (let i = 0; level.length > 0 && i < Math.max(1, depth - 1); i += 1) {
    for (const key of level) stored.set(key, [])
    const { rows } = await db.query<SubjectRow & { set_key: string }>(SUBJECTS, [level, left + 1], 'subjects')
    left -= rows.length
    if (left < 0) throw tooMuch(`the tree has more than ${ROWS_MAX} subjects`)
    const subjects = rows.map(row => {
      const subject = toSubject(row)
      stored.get(row.set_key)?.push(subject)
      return subject
    })
    const inner = subjects.flatMap(({ subject_set: set }) => (set === undefined ? [] : setKey(set)))
    level = [...new Set(inner)].filter(key => !stored.has(key))
  }
  return stored
}

function growTree(
  stored: Stored,
  namespaces: Namespaces,
  set: SubjectSet,
  depth: number,
  visited: Set<string>,
): Tree | undefined {
  const key = setKey(set)
  if (visited.has(key)) return undefined
  visited.add(key)
  const subjects = stored.get(key) ?? []
  if (subjects.length === 0) return undefined
  if (depth <= 1) return leaf({ subject_set: set })
  const children = subjects.map(subject => {
    const inner = subject.subject_set
    if (inner === undefined) return leaf(subject)
    namespaces.require(inner.namespace)
    return growTree(stored, namespaces, inner, depth - 1, visited) ?? leaf(subject)
  })
  return { type: 'union', children, tuple: ofSubject({ subject_set: set }) }
}

function leaf(subject: Subject): Tree {
  return { type: 'leaf', tuple: ofSubject(subject) }
}

function ofSubject(subject: Subject): Tree['tuple'] {
  return { namespace: '', object: '', relation: '', ...subject }
}
