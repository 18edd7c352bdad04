// The one query that reads what the types of a database are written from. Pure.

import type { Statement } from '../../db/sql.ts'
import { DomainError } from '../../errors.ts'
import { writeArrayLiteral } from '../../lib/array-literal.ts'
import { foreignKeys } from '../data-api/catalog/foreign-keys-sql.ts'
import { RELATIONSHIP_FACTS } from '../data-api/catalog/relationship-facts.ts'
import { columnOrigins } from '../data-api/catalog/view-key-sql.ts'
import type { DatabaseFacts } from './type-facts.ts'

const OWN_ATTRIBUTES = 'a.attnum > 0 and not a.attisdropped'

/** Relations of the schemas, and functions that a request may call: no procedures, aggregates or triggers. */
const LISTED = `listed(oid) as materialized (
    select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any ($1::text[]) and c.relkind in ('r', 'v', 'm', 'f', 'p')),
  callable as materialized (
    select p.*, n.nspname, coalesce(p.proallargtypes, p.proargtypes::oid[]) as types
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = any ($1::text[]) and p.prokind = 'f'
        and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype))`

/** Oids of types: of columns, arguments and results, of the schemas, and of what these are made of. */
const USED = `used(oid) as (
    select a.atttypid from pg_attribute a where a.attrelid in (select oid from listed) and ${OWN_ATTRIBUTES}
    union select unnest(f.types || f.prorettype) from callable f
    union select t.oid from pg_type t join pg_namespace n on n.oid = t.typnamespace
      left join pg_class c on c.oid = t.typrelid
      where n.nspname = any ($1::text[]) and t.typtype in ('c', 'e') and coalesce(c.relkind, 'c') = 'c'
    union select x.oid from used u join pg_type t on t.oid = u.oid
      cross join lateral (select t.typelem union all select t.typbasetype union all
        select a.atttypid from pg_class c join pg_attribute a on a.attrelid = c.oid and ${OWN_ATTRIBUTES}
          where c.oid = t.typrelid and c.relkind = 'c') x(oid)
      where x.oid <> 0)`

/** A default of a domain is for columns without one. */
const COLUMNS = `(select coalesce(json_agg(json_build_object('name', a.attname, 'type', a.atttypid,
    'notNull', a.attnotnull, 'hasDefault', a.atthasdef or t.typdefault is not null,
    'identity', a.attidentity, 'isGenerated', a.attgenerated <> '',
    'isUpdatable', c.relkind = 'v' and pg_column_is_updatable(c.oid, a.attnum, true)) order by a.attnum), '[]')
  from pg_attribute a join pg_type t on t.oid = a.atttypid where a.attrelid = c.oid and ${OWN_ATTRIBUTES})`

const RELATIONS = `select coalesce(json_agg(json_build_object('oid', c.oid, 'schema', n.nspname, 'name', c.relname,
    'isView', c.relkind in ('v', 'm'), 'changes', pg_relation_is_updatable(c.oid, true),
    'ownChanges', pg_relation_is_updatable(c.oid, false), 'columns', ${COLUMNS})), '[]')
  from listed l join pg_class c on c.oid = l.oid join pg_namespace n on n.oid = c.relnamespace`

const FUNCTIONS = `select coalesce(json_agg(json_build_object('schema', f.nspname, 'name', f.proname,
    'argumentNames', f.proargnames, 'argumentModes', f.proargmodes, 'argumentTypes', f.types,
    'defaults', f.pronargdefaults, 'returns', f.prorettype, 'returnsSet', f.proretset, 'rows', f.prorows)), '[]')
  from callable f`

const TYPES = `select coalesce(json_agg(json_build_object('oid', t.oid, 'schema', n.nspname, 'name', t.typname,
    'kind', t.typtype, 'element', case when t.typcategory = 'A' then nullif(t.typelem, 0) end,
    'base', nullif(t.typbasetype, 0), 'notNull', t.typnotnull, 'relation', nullif(t.typrelid, 0),
    'labels', case t.typtype when 'e' then (select coalesce(json_agg(e.enumlabel order by e.enumsortorder), '[]')
      from pg_enum e where e.enumtypid = t.oid) end,
    'attributes', (select coalesce(json_agg(json_build_object('name', a.attname, 'type', a.atttypid)
        order by a.attnum) filter (where ${OWN_ATTRIBUTES}), '[]')
      from pg_class c left join pg_attribute a on a.attrelid = c.oid
      where c.oid = t.typrelid and c.relkind = 'c' group by c.oid))), '[]')
  from used u join pg_type t on t.oid = u.oid join pg_namespace n on n.oid = t.typnamespace`

/**
 * One row with one text: the facts as JSON, or an empty text where they are longer than `bytesMax`, which may be
 * Infinity. The search path must hold pg_catalog alone.
 */
export function typeFactsStatement(schemas: readonly string[], bytesMax: number): Statement<string> {
  return {
    sql: `select case when octet_length(b.body) > $2::float8 then '' else b.body end from (
      select (with recursive ${columnOrigins('')}, ${LISTED},
        known(oid) as (select oid from listed union select origin from column_origins),
        ${foreignKeys('f.conrelid in (table known) or f.confrelid in (table known)')}, ${USED}
      select json_build_object('relations', (${RELATIONS}), 'functions', (${FUNCTIONS}), 'types', (${TYPES}),
        'relationships', ${RELATIONSHIP_FACTS}))::text as body offset 0) b`,
    params: [writeArrayLiteral(schemas), String(bytesMax)],
  }
}

/** The facts in the text that the statement answers. Throws `response_too_large` where they were too long. */
export function parseTypeFacts(text: string): DatabaseFacts {
  if (text === '') throw tooLargeForAnswer()
  return JSON.parse(text) as DatabaseFacts
}

/** What is beyond the bounds of one answer. */
export function tooLargeForAnswer(): DomainError {
  return new DomainError('response_too_large', 'The schema has more than fits into one answer.', {
    hint: 'Write its types with `npm run types:database -- --out FILE`, which knows no bound.',
  })
}
