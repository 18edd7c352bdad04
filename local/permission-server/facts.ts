// Reads from the database what checks ask. All that one may ask of an object comes by one query, the subject sets of a
// relation together by the next; and checks that run at the same time ask together.

import type { Database } from '../service/database.ts'
import { type FactSource, type Facts, type FoundSet, tooMuch } from './check.ts'
import type { Namespaces } from './namespaces.ts'
import { type SubjectSet, setKey } from './tuple.ts'

/** Of one check at once; Keto has no such limit. */
const ROWS_MAX = 20_000

const FACTS = `
  with asked as (select * from unnest($1::int[], $2::uuid[], $3::uuid[]) as asked (number, set_key, subject_key))
  select number, set_key, null as namespace, null as object, null as relation, null as has_subject, null as id
  from asked
  where exists (
    select from relation_tuples as member
    where member.set_key = asked.set_key and member.subject_key = asked.subject_key
  )
  union all
  select number, asked.set_key, subject_set_namespace, subject_set_object, subject_set_relation,
    exists (
      select from relation_tuples as member
      where member.set_key = found.subject_key and member.subject_key = asked.subject_key
    ),
    id
  from asked join relation_tuples as found on found.set_key = asked.set_key and found.subject_id is null
  order by id nulls first
  limit $4`

type FactRow = { readonly number: number; readonly set_key: string } & (
  | { readonly namespace: null }
  | (SubjectSet & { readonly has_subject: boolean })
)

interface Question {
  readonly setKeys: readonly string[]
  readonly subjectKey: string
  readonly resolve: (rows: FactRow[]) => void
  readonly reject: (err: unknown) => void
}

/** Gathers the questions of one turn of the event loop and asks them by one query. */
class FactReader {
  readonly #db: Database
  #waiting: Question[] = []

  constructor(db: Database) {
    this.#db = db
  }

  read(setKeys: readonly string[], subjectKey: string): Promise<FactRow[]> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#askAll())
      this.#waiting.push({ setKeys, subjectKey, resolve, reject })
    })
  }

  async #askAll(): Promise<void> {
    const questions = this.#waiting
    this.#waiting = []
    try {
      const found = await this.#ask(questions)
      for (const [i, question] of questions.entries()) question.resolve(found[i] ?? [])
    } catch (err) {
      for (const question of questions) question.reject(err)
    }
  }

  async #ask(questions: readonly Question[]): Promise<FactRow[][]> {
    const pairs = questions.flatMap(({ setKeys, subjectKey }, i) => setKeys.map(key => [i, key, subjectKey]))
    const [numbers, setKeys, subjectKeys] = [0, 1, 2].map(column => pairs.map(pair => pair[column]))
    const limit = ROWS_MAX * questions.length
    const { rows } = await this.#db.query<FactRow>(FACTS, [numbers, setKeys, subjectKeys, limit], 'facts')
    if (rows.length === limit) throw tooMuch(`it takes more than ${ROWS_MAX} subject sets at once`)
    const found = questions.map((): FactRow[] => [])
    for (const row of rows) found[row.number]?.push(row)
    return found
  }
}

class SubjectFacts implements FactSource {
  readonly #reader: FactReader
  readonly #namespaces: Namespaces
  readonly #subjectKey: string
  readonly #known = new Map<string, { hasSubject: boolean; sets: FoundSet[] }>()

  constructor(reader: FactReader, namespaces: Namespaces, subjectKey: string) {
    this.#reader = reader
    this.#namespaces = namespaces
    this.#subjectKey = subjectKey
  }

  async of(set: SubjectSet): Promise<Facts> {
    const key = setKey(set)
    if (!this.#known.has(key)) await this.expect([set])
    return this.#known.get(key) ?? { hasSubject: false, sets: [] }
  }

  async expect(sets: readonly SubjectSet[]): Promise<void> {
    const keys = new Set<string>()
    for (const set of sets) {
      // What is known was read with all that is near it.
      if (this.#known.has(setKey(set))) continue
      for (const relation of this.#namespaces.nearby(set)) keys.add(setKey({ ...set, relation }))
    }
    if (keys.size === 0) return
    const rows = await this.#reader.read([...keys], this.#subjectKey)
    for (const key of keys) this.#known.set(key, { hasSubject: false, sets: [] })
    for (const row of rows) this.#add(row)
  }

  #add(row: FactRow): void {
    const facts = this.#known.get(row.set_key)
    if (facts === undefined) return
    if (row.namespace === null) {
      facts.hasSubject = true
    } else {
      const { namespace, object, relation, has_subject: hasSubject } = row
      facts.sets.push({ namespace, object, relation, hasSubject })
    }
  }
}

/** For checks that belong together; each check has facts of its own, which stay as they were first read. */
export function makeFactSources(db: Database, namespaces: Namespaces): (subjectKey: string) => FactSource {
  const reader = new FactReader(db)
  return subjectKey => new SubjectFacts(reader, namespaces, subjectKey)
}
