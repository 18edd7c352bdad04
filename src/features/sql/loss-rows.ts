// What the database says of the objects that a script would lose: their names in full, and how many rows they hold.
// Asked as the caller, so that names mean what they will mean when the script runs.

import type { DataSession } from '../../db/database.ts'
import { PostgresError } from '../../db/postgres-error.ts'
import { quoteQualified } from '../../db/sql.ts'
import type { Loss } from './losses.ts'
import type { SqlDeps } from './run-sql.ts'
import type { SqlLoss } from './schemas.ts'

/** More are estimated: nobody should wait for an exact number of a large table. */
const COUNTED_ROWS_MAX = 100_000
/** For one count, and for all of one check; what is not counted then is estimated. */
const COUNT_MS_MAX = 1_000
const COUNTS_MS_MAX = 2_000
/** Each is a trip, and the platform lets one request make so many. */
const COUNTS_MAX = 100

/**
 * Tables by their names as the session finds them, and those of a schema. Partitions and children stand in the
 * estimate of their parent. `cascades`: a deleted row takes rows of other tables with it.
 */
const FACTS_SQL = `
select w.place, n.nspname, c.relname, c.relkind,
  pg_catalog.has_schema_privilege(n.oid, 'USAGE') and pg_catalog.has_any_column_privilege(c.oid, 'SELECT'),
  (
    with recursive members as (
      select c.oid union select h.inhrelid from pg_catalog.pg_inherits h join members m on h.inhparent = m.oid
    )
    select sum(nullif(p.reltuples, -1)) filter (where p.relkind <> 'p')::int8
    from members m join pg_catalog.pg_class p on p.oid = m.oid
  ),
  exists (select from pg_catalog.pg_constraint k where k.contype = 'f' and k.confrelid = c.oid and k.confdeltype = 'c')
from pg_catalog.json_to_recordset($1::json) as w(place int, schema text, name text, members bool)
  join pg_catalog.pg_class c on w.members or c.relname = w.name
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where case
  when w.members then n.nspname = w.schema and c.relkind in ('r', 'p', 'm') and not c.relispartition
  when w.schema is null then pg_catalog.pg_table_is_visible(c.oid)
  else n.nspname = w.schema
end`

interface Relation {
  schema: string
  name: string
  kind: string
  isReadable: boolean
  estimate: number | null
  cascades: boolean
}

interface Rows {
  rows: number | null
  isExact: boolean
}

const KIND_WORDS: Readonly<Record<string, string>> = {
  v: 'view',
  m: 'materialized view',
  f: 'foreign table',
}

/** How long the next count may take, in milliseconds; 0: what is left is estimated. */
type CountTime = () => number

/** The losses as the answer has them: one trip for all names, then up to a hundred counts, for two seconds at most. */
export async function countLosses(
  deps: Pick<SqlDeps, 'data' | 'now'>,
  session: DataSession,
  losses: readonly Loss[],
): Promise<SqlLoss[]> {
  const relations = await findRelations(deps, session, losses)
  const endsAt = deps.now().getTime() + COUNTS_MS_MAX
  let counts = 0
  const countTime = () =>
    counts++ < COUNTS_MAX ? Math.max(0, Math.min(COUNT_MS_MAX, endsAt - deps.now().getTime())) : 0
  const answers: SqlLoss[] = []
  for (const [i, loss] of losses.entries()) {
    const found = relations.get(i) ?? []
    const rows =
      loss.rowsOf === 'nothing' ? NOT_COUNTED : await countAll(deps, session, countTime, loss, found)
    answers.push(toAnswer(loss, found, rows))
  }
  return answers
}

const NOT_COUNTED: Rows = { rows: null, isExact: false }

function toAnswer(loss: Loss, found: readonly Relation[], { rows, isExact }: Rows): SqlLoss {
  const only = loss.rowsOf === 'schema' ? undefined : found[0]
  return {
    kind: loss.kind,
    object_kind: (only && KIND_WORDS[only.kind]) ?? loss.objectKind,
    object: only === undefined ? loss.names.join('.') : `${only.schema}.${only.name}`,
    part: loss.part,
    cascades: loss.cascades || (loss.kind === 'delete_rows' && only?.cascades === true),
    rows,
    rows_exact: isExact,
  }
}

/** By the place of the loss. */
async function findRelations(
  deps: Pick<SqlDeps, 'data'>,
  session: DataSession,
  losses: readonly Loss[],
): Promise<Map<number, Relation[]>> {
  const wanted = losses.flatMap(({ names, rowsOf }, place): object[] => {
    if (rowsOf === 'nothing') return []
    if (rowsOf === 'schema') return [{ place, schema: names.at(-1), members: true }]
    return [{ place, schema: names.at(-2), name: names.at(-1), members: false }]
  })
  const found = new Map<number, Relation[]>()
  if (wanted.length === 0) return found
  const statement = { sql: FACTS_SQL, params: [JSON.stringify(wanted)] }
  const [result] = await deps.data.batch(session, [statement], { prepared: false, readOnly: true })
  for (const [place, schema, name, kind, readable, estimate, cascades] of result?.rows ?? []) {
    const relation = {
      schema: schema ?? '',
      name: name ?? '',
      kind: kind ?? '',
      isReadable: readable === 't',
      estimate: estimate === null || estimate === undefined ? null : Number(estimate),
      cascades: cascades === 't',
    }
    const others = found.get(Number(place))
    if (others === undefined) found.set(Number(place), [relation])
    else others.push(relation)
  }
  return found
}

/** Of several tables the sum; what is unknown of one is unknown of all. */
async function countAll(
  deps: Pick<SqlDeps, 'data'>,
  session: DataSession,
  countTime: CountTime,
  { rowsOf }: Loss,
  relations: readonly Relation[],
): Promise<Rows> {
  // A schema without tables has no rows; a table that is not found has nobody knows how many.
  if (relations.length === 0) return rowsOf === 'schema' ? { rows: 0, isExact: true } : NOT_COUNTED
  let sum: Rows = { rows: 0, isExact: true }
  for (const relation of relations) {
    const counted = await countOne(
      deps,
      { ...session, timeoutMs: countTime() },
      rowsOf === 'table_only',
      relation,
    )
    sum = {
      rows: sum.rows === null || counted.rows === null ? null : sum.rows + counted.rows,
      isExact: sum.isExact && counted.isExact,
    }
  }
  return sum
}

/** Exact for what is small, readable and answers in time; else Postgres' own estimate, null where it has none. */
async function countOne(
  deps: Pick<SqlDeps, 'data'>,
  session: DataSession,
  isAlone: boolean,
  relation: Relation,
): Promise<Rows> {
  const estimated = { rows: relation.estimate, isExact: false }
  if (!relation.isReadable || session.timeoutMs === 0) return estimated
  const from = `${isAlone ? 'only ' : ''}${quoteQualified(relation)}`
  const sql = `select count(*) from (select from ${from} limit ${COUNTED_ROWS_MAX + 1}) counted`
  try {
    const [result] = await deps.data.batch(session, [{ sql, params: [] }], {
      prepared: false,
      readOnly: true,
    })
    const rows = Number(result?.rows[0]?.[0])
    if (rows <= COUNTED_ROWS_MAX) return { rows, isExact: true }
    return { rows: Math.max(relation.estimate ?? 0, COUNTED_ROWS_MAX), isExact: false }
  } catch (err) {
    // Somebody holds a lock on it, a view fails or is slow: how many rows there are is no reason to ask nothing.
    if (err instanceof PostgresError) return estimated
    throw err
  }
}
