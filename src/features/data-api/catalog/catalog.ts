// The catalog of the exposed schemas, as one isolate remembers it. Reading and filtering a table needs none of it;
// upserts, functions, JSON paths, text search and the hints of errors do.

import type { DatabaseRole, DataDatabase, DataSession } from '../../../db/database.ts'
import { PostgresError } from '../../../db/postgres-error.ts'
import type { QualifiedName, Statement } from '../../../db/sql.ts'
import {
  type CatalogFacts,
  catalogStatement,
  functionsStatement,
  parseCatalog,
  parseFunctions,
  parseRelations,
  relationStatement,
  versionStatement,
} from './catalog-sql.ts'
import type { ColumnTypes, DatabaseFunction, Relation } from './catalog-types.ts'
import { idOf } from './relationship.ts'
import { Relationships } from './relationships.ts'

/**
 * How long a catalog is believed. A name that Postgres does not know makes it be read again before that. An event
 * trigger that tells of DDL would need a superuser, whom Neon does not give.
 */
const CATALOG_AGE_MAX_MS = 30_000

/**
 * A reading opens every table and view, and a change may hold one locked for long. So a newer reading waits for a
 * second at most. Then the known catalog is believed on: statements say themselves what they rely on.
 */
const LOCK_TIMEOUT: Statement = {
  sql: "select pg_catalog.set_config('lock_timeout','1000',true)",
  params: [],
}
const LOCKED = '55P03'

/** It is read for all callers of the isolate, so that a caller's own time does not bound it. */
const READING_TIMEOUT_MS = 10_000

/** What the database held at one moment. */
export class Catalog {
  readonly readAtMs: number
  /** Of the whole reading; names that were read by themselves since are newer. */
  readonly version: string
  #relationships: Relationships | undefined
  #byName: ReadonlyMap<string, Relation> | undefined
  readonly #facts: CatalogFacts
  readonly #isJustRead: boolean

  constructor(facts: CatalogFacts, readAtMs: number, isJustRead = false) {
    this.#facts = facts
    this.readAtMs = readAtMs
    this.version = facts.version
    this.#isJustRead = isJustRead
  }

  /** Undefined in a catalog that was read for requests without embedded relations. */
  get relationships(): Relationships | undefined {
    const { relationships } = this.#facts
    this.#relationships ??=
      relationships &&
      new Relationships(relationships, ({ schema, name }) => this.relation(schema, name)?.primaryKey ?? [])
    return this.#relationships
  }

  /** The same, for as long as if it had been read at this time. */
  believedAt(timeMs: number): Catalog {
    return new Catalog(this.#facts, timeMs)
  }

  /** The same for the request that has just read it: a column that is not in it is not new, but none of a relation. */
  justRead(): Catalog {
    return new Catalog(this.#facts, this.readAtMs, true)
  }

  relation(schema: string, name: string): Relation | undefined {
    this.#byName ??= new Map(this.#facts.relations.map(each => [idOf(each), each]))
    return this.#byName.get(idOf({ schema, name }))
  }

  /** Names that may be told to a caller in this role: those of relations it has a right to. */
  relationNames(schema: string, role: DatabaseRole): string[] {
    return this.#facts.relations
      .filter(relation => relation.schema === schema && relation.usableBy.includes(role))
      .map(({ name }) => name)
  }

  /** Columns of one relation that may be told to a caller in this role; none of a relation that is not known. */
  columnNames(schema: string, name: string, role: DatabaseRole): string[] {
    const relation = this.relation(schema, name)
    if (!relation?.usableBy.includes(role)) return []
    return relation.columns.filter(({ usableBy }) => usableBy.includes(role)).map(column => column.name)
  }

  /** Every overload of a name. */
  functions(schema: string, name: string): DatabaseFunction[] {
    return this.#facts.functions.filter(candidate => candidate.name === name && candidate.schema === schema)
  }

  /** The same with these as the only overloads of a name. */
  withFunctions({ schema, name }: QualifiedName, overloads: readonly DatabaseFunction[]): Catalog {
    const others = this.#facts.functions.filter(known => known.name !== name || known.schema !== schema)
    return new Catalog({ ...this.#facts, functions: [...others, ...overloads] }, this.readAtMs)
  }

  /** The same with what was found as the only relation of a name. */
  withRelation({ schema, name }: QualifiedName, found: readonly Relation[]): Catalog {
    // Names that are made up must not undo what was made of the catalog.
    if (found.length === 0 && this.relation(schema, name) === undefined) return this
    const others = this.#facts.relations.filter(known => known.name !== name || known.schema !== schema)
    return new Catalog({ ...this.#facts, relations: [...others, ...found] }, this.readAtMs)
  }

  /** Names that may be told to a caller in this role: those of functions it may execute. */
  functionNames(schema: string, role: DatabaseRole): string[] {
    const usable = this.#facts.functions.filter(
      candidate => candidate.schema === schema && candidate.usableBy.includes(role),
    )
    return [...new Set(usable.map(({ name }) => name))]
  }

  /** The types of one relation's columns, for the SQL of fields. */
  typesOf(schema: string, name: string): ColumnTypes {
    const columns = new Map(this.relation(schema, name)?.columns.map(column => [column.name, column.type]))
    const isKnown = (column: string) => this.#isJustRead || this.functions(schema, column).length > 0
    const unknown = (column: string) => (isKnown(column) ? undefined : 'unknown')
    return column => columns.get(column) ?? unknown(column)
  }
}

type CatalogSource = Pick<DataDatabase, 'batch'>

/** Keeps the newest catalog. Requests never share a pending read: in workerd one may not wait for another's I/O. */
export class CatalogCache {
  readonly #schemas: readonly string[]
  readonly #now: () => Date
  #newest: Catalog | undefined
  /** True once a request of the isolate has embedded: others will, and none must find a reading without them. */
  #withRelationships = false

  constructor(schemas: readonly string[], now: () => Date) {
    this.#schemas = schemas
    this.#now = now
  }

  /** The remembered catalog, or a new one when it is older than 30 s or lacks what is needed. One trip at most. */
  async read(data: CatalogSource, session: DataSession, withRelationships = false): Promise<Catalog> {
    const known = this.#remembered()
    this.#withRelationships ||= withRelationships
    if (known && !(withRelationships && known.relationships === undefined)) return known
    return await this.#load(data, session)
  }

  /**
   * `known` with the functions of one name as they are now, or `known` itself where they are the same. One trip, and
   * no pause: Postgres finds a name by an index, so that names which are made up cost no more than any other request.
   */
  async refreshFunctions(
    data: CatalogSource,
    session: DataSession,
    name: QualifiedName,
    known: Catalog,
  ): Promise<Catalog> {
    const now = parseFunctions((await readText(data, session, functionsStatement(name))) ?? '[]')
    if (JSON.stringify(now) === JSON.stringify(known.functions(name.schema, name.name))) return known
    this.#newest = (this.#newest ?? known).withFunctions(name, now)
    return this.#newest
  }

  /**
   * The catalog with the relation of this name as it is now. One trip, and no pause, as for functions; without a
   * remembered catalog all of it is read.
   */
  async readRelation(data: CatalogSource, session: DataSession, name: QualifiedName): Promise<Catalog> {
    const known = this.#remembered()
    if (known === undefined) return await this.#load(data, session)
    const now = parseRelations((await readText(data, session, relationStatement(name))) ?? '[]')
    this.#newest = (this.#newest ?? known).withRelation(name, now)
    return this.#newest
  }

  /**
   * The catalog as it is now with its relationships, or `known` itself where nothing has changed: a trip that costs
   * little, and the reading where it has. A relation that is not related costs no more, however often it is asked for.
   */
  async refresh(data: CatalogSource, session: DataSession, known: Catalog): Promise<Catalog> {
    const version = await readText(data, session, versionStatement(this.#schemas))
    return version === known.version && known.relationships ? known : await this.#load(data, session)
  }

  #remembered(): Catalog | undefined {
    const isYoung = this.#newest && this.#now().getTime() - this.#newest.readAtMs < CATALOG_AGE_MAX_MS
    return isYoung ? this.#newest : undefined
  }

  async #load(data: CatalogSource, session: DataSession): Promise<Catalog> {
    const readAtMs = this.#now().getTime()
    const known = this.#newest
    const statement = catalogStatement(this.#schemas, this.#withRelationships)
    // Without one that is known there is nothing to go on with.
    const isKnown = known !== undefined && !(this.#withRelationships && known.relationships === undefined)
    let text: string | null | undefined
    try {
      text = await readText(data, session, statement, isKnown ? [LOCK_TIMEOUT] : [])
    } catch (err) {
      if (!isKnown || !(err instanceof PostgresError) || err.code !== LOCKED) throw err
      // Another may have read it meanwhile.
      if (this.#newest === known) this.#newest = known.believedAt(readAtMs)
      return this.#newest ?? known
    }
    if (!text) throw new TypeError('the catalog is one text')
    const read = new Catalog(parseCatalog(text), readAtMs)
    // Readings may overtake each other.
    if (!this.#newest || this.#newest.readAtMs <= readAtMs) this.#newest = read
    return read
  }
}

/** The one text that `statement` answers. With pg_catalog alone on the path every other name has its schema. */
async function readText(
  data: CatalogSource,
  session: DataSession,
  statement: Statement,
  before: readonly Statement[] = [],
) {
  const reading = { ...session, searchPath: ['pg_catalog'], timeoutMs: READING_TIMEOUT_MS }
  const results = await data.batch(reading, [...before, statement], { prepared: true, readOnly: true })
  return results.at(-1)?.rows[0]?.[0]
}

/** The catalog cache of one isolate. */
export function makeCatalog(options: { schemas: readonly string[]; now: () => Date }): CatalogCache {
  return new CatalogCache(options.schemas, options.now)
}
