// The stored tuples: written, deleted and listed. Knows nothing of namespaces and permits.

import type { Database, Queryable } from '../service/database.ts'
import {
  objectKey,
  type Subject,
  type SubjectSet,
  setKey,
  subjectKey,
  type Tuple,
  type TupleFilter,
} from './tuple.ts'

const COLUMNS =
  'namespace, object, relation, subject_id, subject_set_namespace, subject_set_object, subject_set_relation'

/** The columns of the set are null where that of the id is not. */
export interface SubjectRow {
  readonly subject_id: string | null
  readonly subject_set_namespace: string | null
  readonly subject_set_object: string | null
  readonly subject_set_relation: string | null
}

interface TupleRow extends SubjectSet, SubjectRow {
  readonly id: string
}

interface Statement {
  readonly sql: string
  readonly params: unknown[]
}

/** In one statement. */
export async function insertTuples(db: Queryable, tuples: readonly Tuple[]): Promise<void> {
  if (tuples.length === 0) return
  const rows = tuples.map(tuple => {
    const { namespace, object, relation, subject_id, subject_set } = tuple
    const set = subject_id === undefined ? subject_set : undefined
    const subject = [subject_id, set?.namespace, set?.object, set?.relation]
    return [namespace, object, relation, ...subject, setKey(tuple), objectKey(object), subjectKey(tuple)]
  })
  const columns = rows[0]?.map((_, i) => rows.map(row => row[i] ?? null)) ?? []
  await db.query(
    `insert into relation_tuples (${COLUMNS}, set_key, object_key, subject_key)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
       $8::uuid[], $9::uuid[], $10::uuid[])`,
    columns,
  )
}

/** In one statement; what is not there is no error. */
export async function deleteTuples(db: Queryable, tuples: readonly Tuple[]): Promise<void> {
  if (tuples.length === 0) return
  await db.query(
    `delete from relation_tuples using unnest($1::uuid[], $2::uuid[]) as gone (set_key, subject_key)
     where relation_tuples.set_key = gone.set_key and relation_tuples.subject_key = gone.subject_key`,
    [tuples.map(setKey), tuples.map(subjectKey)],
  )
}

export async function deleteMatching(db: Queryable, filter: TupleFilter): Promise<void> {
  const { sql, params } = whereOf(filter)
  await db.query(`delete from relation_tuples ${sql}`, params)
}

/** At most `size` tuples with greater ids than `after` (empty: from the first), and after which id the next page is. */
export async function listTuples(
  db: Database,
  filter: TupleFilter,
  { after, size }: { readonly after: string; readonly size: number },
): Promise<{ tuples: Tuple[]; next: string | undefined }> {
  const { sql, params } = listStatement(filter, after, size + 1)
  const { rows } = await db.query<TupleRow>(sql, params)
  const page = rows.slice(0, size)
  return { tuples: page.map(toTuple), next: rows.length > size ? page.at(-1)?.id : undefined }
}

/** The first `limit` rows after an id, in the order of ids. */
export function listStatement(filter: TupleFilter, after: string, limit: number): Statement {
  const { sql, params } = whereOf(filter, after)
  return {
    sql: `select id, ${COLUMNS} from relation_tuples ${sql} order by id limit ${limit}`,
    params,
  }
}

/** By keys where there are some: they are indexed, and a zero byte in a text finds nothing instead of failing. */
function whereOf(filter: TupleFilter, after = ''): Statement {
  const { namespace, object, relation, ...subject } = filter
  const conditions: string[] = []
  const params: unknown[] = []
  const add = (condition: string, value: string) => conditions.push(`${condition} $${params.push(value)}`)
  if (namespace !== undefined && object !== undefined && relation !== undefined) {
    add('set_key =', setKey({ namespace, object, relation }))
  } else {
    if (namespace !== undefined) add('namespace =', namespace)
    if (object !== undefined) add('object_key =', objectKey(object))
    if (relation !== undefined) add('relation =', relation)
  }
  if (subject.subject_id !== undefined || subject.subject_set !== undefined)
    add('subject_key =', subjectKey(subject))
  if (after !== '') add('id >', after)
  return { sql: conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`, params }
}

function toTuple(row: TupleRow): Tuple {
  const { namespace, object, relation } = row
  return { namespace, object, relation, ...toSubject(row) }
}

export function toSubject(row: SubjectRow): Subject {
  if (row.subject_id !== null) return { subject_id: row.subject_id }
  return {
    subject_set: {
      namespace: row.subject_set_namespace ?? '',
      object: row.subject_set_object ?? '',
      relation: row.subject_set_relation ?? '',
    },
  }
}
