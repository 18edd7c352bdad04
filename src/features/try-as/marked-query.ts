// The batch that runs a query of one table and asks the table's policies about each row that it shows, all in one
// transaction with one snapshot and as the caller; and what the batch answers. Pure.

import { type DataSession, sessionSettings } from '../../db/database.ts'
import type { Statement } from '../../db/sql.ts'
import type { StatementResult } from '../../db/sql-wire.ts'
import type { SingleStatement } from '../sql/statement.ts'
import type { OneTable } from './one-table.ts'
import { POLICIES_MAX, ROWS_MAX, TIMEOUT_MS, type TriedPolicy } from './schemas.ts'

const CURSOR = 'quoin_tried'
/** Where the statements of the batch leave each other word; gone with the transaction. */
const TABLE_SETTING = 'quoin.tried_table'
const ROWS_SETTING = 'quoin.tried_rows'
const SESSION_SETTING = 'quoin.tried_session'
const MARKS_SETTING = 'quoin.tried_marks'

/** Of the batch's time the last part is for its answer. */
const MARKS_MS_MAX = TIMEOUT_MS - 150
const MARKS_MS_MIN = 50

/** How much earlier than the clock says the time may be over. */
const CLOCK_MS = 50

/** Makes the setting, so that the first row finds it. */
const NO_ROWS_SQL = `select pg_catalog.set_config('${ROWS_SETTING}', '', true)`

/** Who the query ended as: its role and its claims. */
export const CALLER_SQL =
  "select pg_catalog.current_setting('role'), pg_catalog.current_setting('request.jwt.claims')"

/**
 * What the query's functions may have set does not count for what comes after it. The table is looked up under the
 * search path that the query was read under. Only of a relation that has rows of its own are `tableoid` and `ctid` what
 * they seem: a view may call anything so.
 */
const RESTORE_SQL = `select pg_catalog.set_config('role', $4, true),
  pg_catalog.set_config('search_path', $1, true),
  pg_catalog.set_config('${TABLE_SETTING}', coalesce((select c.oid::pg_catalog.text from pg_catalog.pg_class c
    where c.oid operator(pg_catalog.=) pg_catalog.to_regclass($2)
      and c.relkind::pg_catalog.text operator(pg_catalog.~) '^[rpm]$'), ''), true),
  pg_catalog.set_config('${SESSION_SETTING}', $3, true),
  pg_catalog.set_config('search_path', 'pg_catalog', true)`

const TIME_SQL = `select set_config('statement_timeout', greatest(
  ${MARKS_MS_MIN}, ${MARKS_MS_MAX} - extract(epoch from clock_timestamp() - now()) * 1000)::int::text, true)`

/**
 * Each policy is asked by itself, so that one which fails fails alone. Its expression is Postgres' own text of it, over
 * the row as the table has it, under the caller's rights, row-level security and search path, which the functions that
 * it calls may rely on. So it is printed anew under that path, and what is ours beside it has its schema. Names of ours
 * begin with `quoin_`: in the inner query those of the table come first. Of the query nothing runs again. Before each
 * policy all settings are taken back, also those of no name that we know: a function may have set them.
 */
const MARKS_SQL = `do $quoin$
declare
  quoin_relation oid := nullif(current_setting('${TABLE_SETTING}'), '')::oid;
  quoin_session jsonb := current_setting('${SESSION_SETTING}')::jsonb;
  quoin_rows text := current_setting('${ROWS_SETTING}');
  quoin_end timestamptz := statement_timestamp() + (current_setting('statement_timeout')::interval - '${CLOCK_MS} ms');
  quoin_policy record;
  quoin_tables oid[];
  quoin_places tid[];
  quoin_name text;
  quoin_holds jsonb;
  quoin_found jsonb := '[]';
  quoin_error jsonb;
  quoin_is_late boolean := false;
begin
  select array_agg(split_part(quoin_row, ' ', 1)::oid), array_agg(split_part(quoin_row, ' ', 2)::tid)
    into quoin_tables, quoin_places
    from unnest(string_to_array(rtrim(quoin_rows, ';'), ';')) quoin_row;
  select c.relname into quoin_name from pg_class c where c.oid = quoin_relation;
  for quoin_policy in
    select p.polname as name, p.polpermissive as permissive, p.polqual as tree,
      pg_get_expr(p.polqual, p.polrelid) as written
    from pg_policy p
    where p.polrelid = quoin_relation and p.polcmd in ('r', '*') and row_security_active(quoin_relation)
      and exists (select from unnest(p.polroles) r(oid) where r.oid = 0 or pg_has_role(r.oid, 'USAGE'))
    order by p.polname limit ${POLICIES_MAX}
  loop
    execute 'reset all';
    perform pg_catalog.set_config(s.key, s.value, true) from pg_catalog.jsonb_each_text(quoin_session) s;
    quoin_holds := null;
    quoin_error := null;
    begin
      if quoin_is_late then
        raise query_canceled;
      end if;
      execute pg_catalog.format(
        'select pg_catalog.jsonb_object_agg(pg_catalog.concat(quoin_asked.quoin_table, '' '', quoin_asked.quoin_place),
            (select coalesce((%s), false) from %s as %I
              where %I.tableoid operator(pg_catalog.=) quoin_asked.quoin_table
                and %I.ctid operator(pg_catalog.=) quoin_asked.quoin_place))
          from rows from (pg_catalog.unnest($1), pg_catalog.unnest($2)) quoin_asked(quoin_table, quoin_place)',
        coalesce(pg_catalog.pg_get_expr(quoin_policy.tree, quoin_relation),
          case when quoin_policy.permissive then 'false' else 'true' end),
        quoin_relation::pg_catalog.regclass, quoin_name, quoin_name, quoin_name)
      into quoin_holds using quoin_tables, quoin_places;
    exception
      when query_canceled then
        -- A function may raise this too.
        quoin_is_late := quoin_is_late or pg_catalog.clock_timestamp() operator(pg_catalog.>=) quoin_end;
        quoin_error := pg_catalog.jsonb_build_object('code', sqlstate, 'message',
          case when quoin_is_late then 'There was no time left for it.' else pg_catalog.left(sqlerrm, 500) end);
      when others then
        quoin_error := pg_catalog.jsonb_build_object('code', sqlstate, 'message', pg_catalog.left(sqlerrm, 500));
    end;
    perform pg_catalog.set_config('role', pg_catalog.jsonb_extract_path_text(quoin_session, 'role'), true);
    perform pg_catalog.set_config('search_path', 'pg_catalog', true);
    quoin_found := quoin_found || jsonb_build_object('name', quoin_policy.name, 'permissive', quoin_policy.permissive,
      'using', quoin_policy.written, 'holds', quoin_holds, 'error', quoin_error);
  end loop;
  perform set_config('${MARKS_SETTING}', jsonb_build_object('active', row_security_active(quoin_relation),
    'table', (select jsonb_build_object('schema', n.nspname, 'table', c.relname) from pg_class c
      join pg_namespace n on n.oid = c.relnamespace where c.oid = quoin_relation),
    'policies', quoin_found)::text, true);
end $quoin$`

const ANSWER_SQL = `select pg_catalog.current_setting('${MARKS_SETTING}')`

/** Columns that stand before the caller's. */
const OWN_COLUMNS = 3

/** Places in the batch of what is the caller's query. */
const QUERY_STATEMENTS: readonly (number | undefined)[] = [1, 2]

/** Whether it was the caller's query itself that failed; false where the wire does not tell. */
export function isOfQuery({ queryIndex }: { queryIndex?: number | undefined }): boolean {
  return QUERY_STATEMENTS.includes(queryIndex)
}

/**
 * The statements, in order; `parseMarked` reads their results. Each row notes its place when it is read, in a setting:
 * so nobody must run the query again to know its rows.
 */
export function markedBatch(
  { text, start, end }: SingleStatement,
  { name, alias, selectedAt }: OneTable,
  session: DataSession,
): Statement[] {
  const before = `pg_catalog.current_setting('${ROWS_SETTING}')`
  const noted = `pg_catalog.concat(${before}, ${alias}.tableoid, ' ', ${alias}.ctid, ';')`
  const place =
    `${alias}.tableoid as quoin_table, ${alias}.ctid as quoin_place, ` +
    `pg_catalog.set_config('${ROWS_SETTING}', ${noted}, true) as quoin_noted, `
  const query = text.slice(start, selectedAt) + place + text.slice(selectedAt, end)
  const plain = (sql: string, params: string[] = []) => ({ sql, params })
  const settings = sessionSettings(session)
  return [
    plain(NO_ROWS_SQL),
    plain(`declare ${CURSOR} no scroll cursor for ${query}`),
    plain(`fetch forward ${ROWS_MAX + 1} from ${CURSOR}`),
    plain(CALLER_SQL),
    plain(RESTORE_SQL, [settings.search_path, name, JSON.stringify(settings), settings.role]),
    plain(TIME_SQL),
    plain(MARKS_SQL),
    plain(ANSWER_SQL),
  ]
}

export interface Marks {
  table: { schema: string; table: string } | null
  /** Whether row-level security decides about the rows. */
  isActive: boolean
  policies: TriedPolicy[]
  rowPolicies: (string[] | null)[]
}

interface MarksRow {
  active: boolean
  table: Marks['table']
  policies: (TriedPolicy & { holds: Record<string, boolean | null> | null })[]
}

/** The query's own result, who it ended as, and the marks of its rows. */
export function parseMarked(results: readonly StatementResult[]): {
  result: StatementResult
  endedAs: StatementResult | undefined
  marks: Marks
} {
  const [, , fetched, endedAs] = results
  if (fetched === undefined) throw new Error(`the batch answered ${results.length} results, too few`)
  const { active, table, policies } = JSON.parse(results.at(-1)?.rows[0]?.[0] ?? '{}') as MarksRow
  const rowPolicies = fetched.rows.slice(0, ROWS_MAX).map(([tableOid, place]) => {
    const id = `${tableOid} ${place}`
    // A row that none of them saw was not there any more when it was asked.
    const isKnown = policies.some(({ holds }) => typeof holds?.[id] === 'boolean')
    return isKnown ? policies.filter(({ holds }) => holds?.[id] === true).map(({ name }) => name) : null
  })
  return {
    result: {
      ...fetched,
      fields: fetched.fields.slice(OWN_COLUMNS),
      rows: fetched.rows.map(row => row.slice(OWN_COLUMNS)),
    },
    endedAs,
    marks: {
      table,
      isActive: active,
      policies: policies.map(({ holds: _, ...policy }) => policy),
      rowPolicies,
    },
  }
}
