// Reads from the database what a check asks. All that it may ask of an object comes by one query, and the subject sets
// of a relation come together by the next.

import type { Database } from '../service/database.ts'
import { type FactSource, type Facts, type FoundSet, SETS_READ, STEPS_MAX } from './check.ts'
import type { Namespaces } from './namespaces.ts'
import { type SubjectSet, setKey } from './tuple.ts'

/** The sets that the subject stands in, and of the subject sets there those first in which it does. */
const FACTS = `
  select set_key, namespace, object, relation, has_subject, id
  from (
    select *, row_number() over (partition by set_key order by has_subject desc, id) as place
    from (
      select id, set_key, subject_set_namespace as namespace, subject_set_object as object,
        subject_set_relation as relation,
        exists (
          select from relation_tuples as member
          where member.set_key = found.subject_key and member.subject_key = $2
        ) as has_subject
      from relation_tuples as found
      where set_key = any($1) and subject_id is null
    ) as found
  ) as found
  where place <= ${SETS_READ}
  union all
  select distinct set_key, null, null, null, null::boolean, null::uuid
  from relation_tuples
  where set_key = any($1) and subject_key = $2
  order by id`

/** In the order of `check.ts`. Each takes a step, so no more than these are looked into. */
const ALL_SETS = `
  select subject_set_namespace as namespace, subject_set_object as object, subject_set_relation as relation
  from relation_tuples
  where set_key = $1 and subject_id is null
  order by subject_set_namespace collate "C", subject_set_object collate "C", subject_set_relation collate "C", id
  limit ${STEPS_MAX}`

type FactRow = { readonly set_key: string } & (
  | { readonly namespace: null }
  | (SubjectSet & { readonly has_subject: boolean })
)

interface Known extends Facts {
  hasSubject: boolean
  readonly sets: FoundSet[]
}

/** What is stored about one subject; each fact stays as it was first read, so that a check agrees with itself. */
export class SubjectFacts implements FactSource {
  readonly #db: Database
  readonly #namespaces: Namespaces
  readonly #subjectKey: string
  readonly #known = new Map<string, Known>()

  constructor(db: Database, namespaces: Namespaces, subjectKey: string) {
    this.#db = db
    this.#namespaces = namespaces
    this.#subjectKey = subjectKey
  }

  async of(set: SubjectSet): Promise<Facts> {
    const key = setKey(set)
    if (!this.#known.has(key)) await this.prefetch([set])
    return this.#known.get(key) ?? nothing()
  }

  async allSets(set: SubjectSet): Promise<readonly SubjectSet[]> {
    const { sets } = await this.of(set)
    if (sets.length < SETS_READ) return sets
    const { rows } = await this.#db.query<SubjectSet>(ALL_SETS, [setKey(set)])
    return rows
  }

  async prefetch(sets: readonly SubjectSet[]): Promise<void> {
    const keys = new Set<string>()
    for (const set of sets) {
      // What is known was read with all that is near it.
      if (this.#known.has(setKey(set))) continue
      for (const relation of this.#namespaces.nearby(set)) keys.add(setKey({ ...set, relation }))
    }
    if (keys.size === 0) return
    const { rows } = await this.#db.query<FactRow>(FACTS, [[...keys], this.#subjectKey], 'facts')
    for (const key of keys) this.#known.set(key, nothing())
    for (const row of rows) this.#add(row)
  }

  #add(row: FactRow): void {
    const known = this.#known.get(row.set_key)
    if (known === undefined) return
    if (row.namespace === null) {
      known.hasSubject = true
    } else {
      const { namespace, object, relation, has_subject: hasSubject } = row
      known.sets.push({ namespace, object, relation, hasSubject })
    }
  }
}

function nothing(): Known {
  return { hasSubject: false, sets: [] }
}
