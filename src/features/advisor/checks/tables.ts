// Tables and their sequences: keys, numbers that run out, and what Postgres knows of them.

import { quoteIdentifier, quoteQualified } from '../../../db/sql.ts'
import { columnList, counted, defineCheck, OF_RELATION } from '../check.ts'

interface KeyFacts {
  /** `free`: Postgres takes it as it is, which it does of one with defaults alone that is no constraint's. */
  unique: { index: string; columns: string[]; free: boolean } | null
  /** A name that no column has. */
  column: string
}

export const noPrimaryKey = defineCheck<KeyFacts>({
  id: 'no_primary_key',
  level: 'info',
  category: 'performance',
  title: 'A table without a primary key',
  why:
    'No single row can be named: the dashboard cannot open or change one, an upsert has no key, and logical ' +
    'replication refuses changes.',
  sql: `select ${OF_RELATION}, json_build_object('unique', (
        select json_build_object('index', i.relname,
          'free', r.relkind = 'r' and not x.indnullsnotdistinct
            and not exists (select from pg_constraint k where k.conindid = x.indexrelid)
            and not exists (select from unnest(x.indoption) o where o <> 0)
            and not exists (
              select from unnest(x.indkey::int2[], x.indclass::oid[], x.indcollation::oid[]) u(number, class, sorting)
                join pg_opclass c on c.oid = u.class join pg_attribute a on a.attrelid = r.oid and a.attnum = u.number
              where not c.opcdefault or u.sorting <> a.attcollation),
          'columns', (select json_agg(a.attname order by u.place)
            from unnest(x.indkey::int2[]) with ordinality u(number, place)
            join pg_attribute a on a.attrelid = r.oid and a.attnum = u.number))
        from pg_index x join pg_class i on i.oid = x.indexrelid
        where x.indrelid = r.oid and x.indisunique and x.indisvalid and x.indimmediate and x.indpred is null
          and x.indexprs is null and x.indnatts = x.indnkeyatts and not exists (
            select from unnest(x.indkey::int2[]) n join pg_attribute a on a.attrelid = r.oid and a.attnum = n
            where not a.attnotnull)
        order by x.indnatts, x.indexrelid limit 1),
      'column', (select name from unnest(array['id', 'row_id', 'quoin_row_id']) name
        where not exists (select from pg_attribute a where a.attrelid = r.oid and a.attname = name) limit 1))
    from relations r
    where r.relkind in ('r', 'p') and not r.relispartition
      and not exists (select from pg_constraint k where k.conrelid = r.oid and k.contype = 'p')`,
  describe: (table, { unique, column }) => {
    const name = quoteQualified(table)
    const reason = 'It has no primary key.'
    if (unique?.free)
      return {
        reason: `${reason} ${unique.index} tells its rows apart already.`,
        sql: `alter table ${name} add primary key using index ${quoteIdentifier(unique.index)};`,
      }
    if (unique)
      return {
        reason: `${reason} ${unique.columns.join(', ')} tells its rows apart already.`,
        sql: `alter table ${name} add primary key (${columnList(unique.columns)});`,
      }
    if (table.kind === 'partitioned_table' || column === null)
      return {
        reason,
        sql: null,
        decide: 'Choose the columns that tell its rows apart, those of the partitions among them.',
      }
    return {
      reason,
      sql: `alter table ${name} add column ${quoteIdentifier(column)} bigint generated always as identity primary key;`,
      decide:
        'It writes the table anew, and nobody reads it meanwhile. Where columns that it has tell its rows apart, ' +
        'they are the better key.',
    }
  },
})

interface SequenceFacts {
  value: number
  last: number
  table: { schema: string; name: string } | null
  column: string | null
  narrow: boolean
}

export const sequenceNearEnd = defineCheck<SequenceFacts>({
  id: 'sequence_near_end',
  level: 'error',
  category: 'performance',
  title: 'A sequence comes to its end',
  why: 'When its numbers are used up, every insert fails.',
  // The column's type may end before the sequence does.
  sql: `select c.oid, s.name, c.relname::text, 'sequence', pg_get_userbyid(c.relowner)::text, o.bytes, o.rows,
      json_build_object('value', v.value, 'last', m.last, 'column', o.attname, 'narrow', o.narrow,
        'table', case when o.attname is not null then json_build_object('schema', o.schema, 'name', o.name) end)
    from pg_sequence q join pg_class c on c.oid = q.seqrelid join schemas s on s.oid = c.relnamespace
      left join lateral (
        select r.schema, r.name, r.bytes, r.rows, a.attname, a.atttypid,
          a.atttypid in ('int2'::regtype, 'int4'::regtype) as narrow
        from pg_depend d join relations r on r.oid = d.refobjid
          join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
        where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.refclassid = 'pg_class'::regclass
          and d.refobjsubid > 0 and d.deptype in ('a', 'i') limit 1) o on true
      cross join lateral (select least(q.seqmax, case o.atttypid when 'int2'::regtype then 32767
        when 'int4'::regtype then 2147483647 else q.seqmax end) as last) m
      cross join lateral (select case when $2::bool and c.oid not in (select b.oid from busy b)
        and has_sequence_privilege(c.oid, 'SELECT') then pg_sequence_last_value(c.oid) end as value) v
    where q.seqincrement > 0 and not q.seqcycle and v.value > m.last::numeric * 0.8
      and not exists (select from pg_depend d
        where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`,
  describe: (sequence, { value, last, table, column, narrow }) => {
    const widened =
      table !== null && column !== null && narrow
        ? [`alter table ${quoteQualified(table)} alter column ${quoteIdentifier(column)} type bigint;`]
        : []
    return {
      ...(table === null ? {} : { table: table.name }),
      ...(column === null ? {} : { column }),
      reason: `It stands at ${value.toLocaleString('en')} of ${last.toLocaleString('en')}.`,
      sql: [...widened, `alter sequence ${quoteQualified(sequence)} as bigint no maxvalue;`].join('\n'),
      ...(widened.length === 0
        ? {}
        : {
            decide:
              'It writes the table anew, and nobody reads it meanwhile. Columns that refer to this one need the new ' +
              'type too.',
          }),
    }
  },
})

export const neverAnalysed = defineCheck<Record<string, never>>({
  id: 'never_analysed',
  level: 'info',
  category: 'performance',
  title: 'A table that was never analysed',
  why: 'Postgres plans by what it knows of a table’s values. Of this one it knows nothing, so plans are guesses.',
  sql: `select ${OF_RELATION}, '{}'::json from relations r
    where r.relkind in ('r', 'm') and r.reltuples < 0 and r.bytes >= 1024 * 1024`,
  describe: table => ({
    reason: 'Neither ANALYZE nor VACUUM has seen it.',
    sql: `analyze ${quoteQualified(table)};`,
    decide:
      'A table that was filled a moment ago is analysed within a minute by itself, unless autovacuum is off.',
  }),
})

export const manyDeadRows = defineCheck<{ dead: number; live: number }>({
  id: 'many_dead_rows',
  level: 'info',
  category: 'performance',
  title: 'A table with many dead rows',
  why: 'Rows that were changed or deleted stay until VACUUM takes them away, and every search of the table reads them.',
  // Autovacuum comes at a fifth of the rows: at more than half of them it is late, off, or kept from its work.
  sql: `select ${OF_RELATION}, json_build_object('dead', pg_stat_get_dead_tuples(r.oid),
      'live', pg_stat_get_live_tuples(r.oid))
    from relations r
    where r.relkind in ('r', 'm') and pg_stat_get_dead_tuples(r.oid) >= 10000
      and pg_stat_get_dead_tuples(r.oid) > pg_stat_get_live_tuples(r.oid) / 2`,
  describe: (table, { dead, live }) => ({
    reason: `It has ${counted(dead, 'dead row')} beside ${counted(live, 'live one')}.`,
    sql: `vacuum (analyze) ${quoteQualified(table)};`,
    decide:
      'VACUUM runs in no transaction: with psql, or in a migration that begins with -- quoin:no-transaction. A ' +
      'transaction that has been open for long keeps it from its work.',
  }),
})
