// The names and shapes of types that are not built in, looked up in the database and kept for a while.

import type { DataDatabase, DataSession } from '../../db/database.ts'
import { BUILT_IN_TYPES, type PgType } from './built-in-types.ts'
import type { FindType } from './values.ts'

/** Types can be renamed; that long an answer may still carry the old name. */
const KEPT_MS = 60_000
const KEPT_TYPES_MAX = 2_000
/** Not the caller's timeout, which may be a millisecond. */
const LOOKUP_TIMEOUT_MS = 5_000

/**
 * The types asked for, and those that their arrays and domains lead to. `int2vector` and the like are no arrays of
 * this form.
 */
const LOOKUP_SQL = `
with recursive wanted(oid) as (
  select o::pg_catalog.oid from pg_catalog.unnest($1::pg_catalog.int8[]) o
  union
  select s.next from wanted w join pg_catalog.pg_type t on t.oid = w.oid
    cross join lateral (select case when t.typtype = 'd' then t.typbasetype
      when t.typcategory = 'A' and t.typlen = -1 then t.typelem else 0 end as next) s
  where s.next <> 0
)
select t.oid::pg_catalog.text, t.typname::pg_catalog.text, t.typtype::pg_catalog.text, t.typbasetype::pg_catalog.text,
  case when t.typcategory = 'A' and t.typlen = -1 then t.typelem else 0 end::pg_catalog.text,
  t.typdelim::pg_catalog.text
from pg_catalog.pg_type t join wanted w on w.oid = t.oid`

/** Knows the types of one database; one per isolate. */
export class TypeCatalog {
  #kept = new Map<number, PgType>()
  #emptiedAt = 0

  /** A look-up for these types. Those that the database cannot tell about just now are undefined in it. */
  async find(
    deps: { data: DataDatabase; now: () => Date },
    session: DataSession,
    oids: Iterable<number>,
  ): Promise<FindType> {
    this.#dropOld(deps.now().getTime())
    const missing = [...new Set(oids)].filter(oid => !BUILT_IN_TYPES.has(oid) && !this.#kept.has(oid))
    if (missing.length > 0) await this.#lookUp(deps.data, session, missing)
    const kept = this.#kept
    return oid => BUILT_IN_TYPES.get(oid) ?? kept.get(oid)
  }

  async #lookUp(data: DataDatabase, session: DataSession, oids: number[]): Promise<void> {
    const statement = { sql: LOOKUP_SQL, params: [`{${oids.join(',')}}`] }
    try {
      const [result] = await data.batch({ ...session, timeoutMs: LOOKUP_TIMEOUT_MS }, [statement], {
        prepared: true,
        readOnly: true,
      })
      for (const row of result?.rows ?? []) this.#keep(row)
    } catch (err) {
      // The caller's statement is committed: an error here would tell them that it failed. They get values as text.
      console.warn(JSON.stringify({ level: 'warn', code: 'type_lookup_failed', message: String(err) }))
    }
  }

  #keep([oid, name, typtype, baseOid, elementOid, delimiter]: (string | null)[]): void {
    const isArray = elementOid !== '0'
    const of = typtype === 'd' ? Number(baseOid) : isArray ? Number(elementOid) : undefined
    this.#kept.set(Number(oid), {
      name: name ?? '',
      of,
      isArray: isArray && typtype !== 'd',
      delimiter: delimiter ?? ',',
    })
  }

  #dropOld(now: number): void {
    if (now - this.#emptiedAt < KEPT_MS && this.#kept.size < KEPT_TYPES_MAX) return
    // A new map: answers that are being written go on reading the old one.
    this.#kept = new Map()
    this.#emptiedAt = now
  }
}
