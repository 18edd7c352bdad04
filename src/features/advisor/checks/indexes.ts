// Indexes that are missing, broken, twice there, or of no use.

import { quoteIdentifier, quoteQualified } from '../../../db/sql.ts'
import { columnList, defineCheck, type FoundObject, OF_RELATION } from '../check.ts'

/** The index `x`, whose class is `i`, of the relation `r`. */
const OF_INDEX = `i.oid, r.schema, i.relname::text, 'index', r.owner,
  case when $2::bool and not r.is_busy then pg_relation_size(i.oid)
    else i.relpages::int8 * current_setting('block_size')::int8 end, null::int8`

const INDEXES = 'relations r join pg_index x on x.indrelid = r.oid join pg_class i on i.oid = x.indexrelid'

/** Nothing but the planner needs the index `x`: neither a constraint, nor replication, nor a partitioned index. */
const IS_FREE = `not x.indisprimary and not x.indisreplident and not x.indisclustered and not i.relispartition
  and not exists (select from pg_constraint k where k.conindid = x.indexrelid)`

/**
 * Whether the index `x` finds the rows of the foreign key `k`: it begins with its columns in any order, or is unique
 * over some of them. NULL refers to nothing, so an index without the rows that have it serves as well. It is asked of
 * each key and index, so long conditions are not printed.
 */
const SERVES_KEY = `x.indisvalid and x.indkey[0] <> 0
  and (select a.amname from pg_class c join pg_am a on a.oid = c.relam where c.oid = x.indexrelid) in ('btree', 'hash')
  and (x.indpred is null or (octet_length(x.indpred::text) < 1000
    and pg_get_expr(x.indpred, x.indrelid) ~ '^\\([^ ]+ IS NOT NULL\\)$'))
  and (select bool_and(n = any (k.conkey))
    from unnest((x.indkey::int2[])[0:least(x.indnkeyatts, cardinality(k.conkey)) - 1]) n)
  and (x.indnkeyatts >= cardinality(k.conkey) or x.indisunique)`

interface KeyFacts {
  constraint: string
  columns: string[]
  references: string
}

export const foreignKeyWithoutIndex = defineCheck<KeyFacts>({
  id: 'foreign_key_without_index',
  level: 'info',
  category: 'performance',
  title: 'A foreign key without an index',
  why:
    'Whoever deletes a row of the other table, or changes its key, waits until all of this one was searched. Joins ' +
    'along the key search it too.',
  sql: `select ${OF_RELATION}, json_build_object('constraint', k.conname, 'references', rn.nspname || '.' || rc.relname,
      'columns', (select json_agg(a.attname order by u.place) from unnest(k.conkey) with ordinality u(number, place)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.number))
    from relations r join pg_constraint k on k.conrelid = r.oid and k.contype = 'f' and k.conparentid = 0
      join pg_class rc on rc.oid = k.confrelid join pg_namespace rn on rn.oid = rc.relnamespace
    where not r.is_busy and not exists (select from pg_index x where x.indrelid = r.oid and ${SERVES_KEY})`,
  describe: (table, { constraint, columns, references }) => ({
    constraint,
    reason: `No index finds the rows of ${columns.join(', ')}, which refers to ${references}.`,
    sql: `create index on ${quoteQualified(table)} (${columnList(columns)});`,
    decide: BUILDING,
  }),
})

const BUILDING =
  'Writes wait while the index is built. For a large table that is in use: CREATE INDEX CONCURRENTLY, in a migration ' +
  'that begins with -- quoin:no-transaction.'

/** Of an index's expressions as Postgres keeps them: longer ones are compared with none. */
const COMPARED_BYTES_MAX = 200_000

interface DuplicateFacts {
  table: string
  same: string
  constraint: string | null
}

export const duplicateIndex = defineCheck<DuplicateFacts>({
  id: 'duplicate_index',
  level: 'warning',
  category: 'performance',
  title: 'An index that is there twice',
  why: 'Each write keeps both up to date, and reading needs one.',
  // Expressions are printed once for each index, and not for each pair.
  // Of two alike that one goes which is less: a plain index before a unique one, then the younger.
  sql: `with keys as materialized (
      select x.indexrelid, x.indrelid, x.indisvalid, x.indisprimary, x.indisunique, x.indimmediate,
        exists (select from pg_constraint u where u.conindid = x.indexrelid) as is_constraint,
        sha256(convert_to(row(i.relam, x.indkey::text, x.indnkeyatts, x.indclass::text, x.indcollation::text,
          x.indoption::text, x.indnullsnotdistinct, pg_get_expr(x.indexprs, x.indrelid),
          pg_get_expr(x.indpred, x.indrelid))::text, 'UTF8')) as key
      from ${INDEXES}
      where not r.is_busy and octet_length(concat(x.indexprs::text, x.indpred::text)) < ${COMPARED_BYTES_MAX}),
    pairs as (
      select distinct on (x.indexrelid) x.indexrelid, y.indexrelid as same
      from keys x join keys y on y.indrelid = x.indrelid and y.key = x.key
      where y.indexrelid <> x.indexrelid and y.indisvalid
        and (y.indisunique or not x.indisunique) and (y.indimmediate or not x.indimmediate)
        and (y.indisprimary, y.indisunique, y.is_constraint, -y.indexrelid::int8)
          > (x.indisprimary, x.indisunique, x.is_constraint, -x.indexrelid::int8)
      order by x.indexrelid, y.indisprimary desc, y.indisunique desc, y.indexrelid)
    select ${OF_INDEX}, json_build_object('table', r.name, 'same', j.relname,
      'constraint', (select u.conname from pg_constraint u where u.conindid = x.indexrelid and u.contype = 'u'))
    from ${INDEXES} join pairs p on p.indexrelid = x.indexrelid join pg_class j on j.oid = p.same
    where not x.indisprimary and not x.indisreplident and not x.indisclustered
      and not i.relispartition and not exists (select from pg_constraint k where k.conindid = x.indexrelid
        and (k.contype <> 'u' or k.conrelid <> r.oid))`,
  describe: (index, { table, same, constraint }) => ({
    table,
    constraint: constraint ?? undefined,
    reason: `${same} holds the same columns of ${table}.`,
    sql: constraint === null ? dropIndex(index) : dropConstraint(index.schema, table, constraint),
  }),
})

const dropConstraint = (schema: string, table: string, constraint: string) =>
  `alter table ${quoteQualified({ schema, name: table })} drop constraint ${quoteIdentifier(constraint)};`

const dropIndex = (index: FoundObject) => `drop index ${quoteQualified(index)};`

/** Statistics that are younger say little: some work is done once a week. */
const STATISTICS_DAYS_MIN = 7

export const unusedIndex = defineCheck<{ table: string; since: string; scans: number }>({
  id: 'unused_index',
  level: 'info',
  category: 'performance',
  title: 'An index that nothing reads',
  why: 'Each write keeps it up to date, and it takes space and memory.',
  // A restart may have lost the statistics, so they count from there. A smaller index is not worth the question.
  sql: `select * from (
      select ${OF_INDEX}, json_build_object('table', r.name, 'since', to_char(t.since at time zone 'UTC', 'YYYY-MM-DD'),
        'scans', pg_stat_get_numscans(r.oid))
      from ${INDEXES} cross join (
        select greatest(b.stats_reset, pg_postmaster_start_time()) as since
        from pg_stat_database b where b.datname = current_database()) t
      where t.since < (select at from asked) - interval '${STATISTICS_DAYS_MIN} days'
        and pg_stat_get_numscans(i.oid) = 0 and not x.indisunique and x.indisvalid and i.relkind = 'i' and ${IS_FREE}
        and not r.is_busy and not exists (
          select from pg_constraint k where k.conrelid = r.oid and k.contype = 'f' and ${SERVES_KEY})
    ) u(oid, schema, name, kind, owner, bytes, rows, facts) where u.bytes >= 1024 * 1024`,
  describe: (index, { table, since }) => ({
    table,
    reason: `Not read since ${since}, or since it was made, if that was later.`,
    sql: dropIndex(index),
    decide: 'Look first whether it is new, whether a replica reads it, or work that is done once a quarter.',
  }),
})

export const invalidIndex = defineCheck<{ table: string; definition: string }>({
  id: 'invalid_index',
  level: 'warning',
  category: 'performance',
  title: 'An index that was not built to its end',
  why: 'CREATE INDEX CONCURRENTLY failed or was ended. Nothing reads the index, and each write keeps it up to date.',
  // One that is being built now holds this lock on its table.
  sql: `select ${OF_INDEX}, json_build_object('table', r.name, 'definition', left(pg_get_indexdef(i.oid), 1000))
    from ${INDEXES}
    where not x.indisvalid and i.relkind = 'i' and not i.relispartition and not exists (select from pg_locks l
      where l.relation = r.oid and l.mode = 'ShareUpdateExclusiveLock'
        and l.database = (select d.oid from pg_database d where d.datname = current_database()))`,
  describe: (index, { table, definition }) => ({
    table,
    reason: `It is invalid: ${definition}`,
    sql: dropIndex(index),
    decide: /_cc(new|old)\d*$/.test(index.name)
      ? 'REINDEX CONCURRENTLY left it behind.'
      : 'Then create it once more. Of a unique one look first for rows that are there twice.',
  }),
})
