// The catalog of the exposed schemas, as one isolate remembers it. Reading and filtering a table needs none of it;
// upserts, functions, JSON paths, text search and the hints of errors do.

import type { DatabaseRole, DataDatabase, DataSession } from '../../../db/database.ts'
import type { QualifiedName, Statement } from '../../../db/sql.ts'
import { catalogStatement, functionsStatement, parseCatalog, parseFunctions } from './catalog-sql.ts'
import type { ColumnTypes, DatabaseFunction, Relation } from './catalog-types.ts'

/**
 * How long a catalog is believed. A name that Postgres does not know makes it be read again before that. An event
 * trigger that tells of DDL would need a superuser, whom Neon does not give.
 */
const CATALOG_AGE_MAX_MS = 30_000
/** The wrong name of a relation, asked for again and again, makes the catalog be read at most this often. */
const REFRESH_PAUSE_MS = 1_000
/** Refreshes within one such pause, whatever the names. */
const REFRESHES_PER_PAUSE = 5
/** How many such names are remembered; beyond that the oldest knowledge is dropped, which costs a read. */
const MISSED_NAMES_MAX = 1_000

/** What the database held at one moment. */
export class Catalog {
  readonly readAtMs: number
  readonly #relations: readonly Relation[]
  readonly #functions: readonly DatabaseFunction[]
  readonly #isJustRead: boolean

  constructor(
    relations: readonly Relation[],
    functions: readonly DatabaseFunction[],
    readAtMs: number,
    isJustRead = false,
  ) {
    this.#relations = relations
    this.#functions = functions
    this.readAtMs = readAtMs
    this.#isJustRead = isJustRead
  }

  /** The same for the request that has just read it: a column that is not in it is not new, but none of a relation. */
  justRead(): Catalog {
    return new Catalog(this.#relations, this.#functions, this.readAtMs, true)
  }

  relation(schema: string, name: string): Relation | undefined {
    return this.#relations.find(relation => relation.name === name && relation.schema === schema)
  }

  /** Names that may be told to a caller in this role: those of relations it has a right to. */
  relationNames(schema: string, role: DatabaseRole): string[] {
    return this.#relations
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
    return this.#functions.filter(candidate => candidate.name === name && candidate.schema === schema)
  }

  /** The same with these as the only overloads of a name. */
  withFunctions({ schema, name }: QualifiedName, overloads: readonly DatabaseFunction[]): Catalog {
    const others = this.#functions.filter(known => known.name !== name || known.schema !== schema)
    return new Catalog(this.#relations, [...others, ...overloads], this.readAtMs)
  }

  /** Names that may be told to a caller in this role: those of functions it may execute. */
  functionNames(schema: string, role: DatabaseRole): string[] {
    const usable = this.#functions.filter(
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
  /** When a name was last looked for in vain. */
  readonly #missedAtMs = new Map<string, number>()
  /** The refreshes of the last second. */
  #refreshedAtMs: number[] = []

  constructor(schemas: readonly string[], now: () => Date) {
    this.#schemas = schemas
    this.#now = now
  }

  /** The remembered catalog, or a new one when it is older than 30 s. One trip at most. */
  async read(data: CatalogSource, session: DataSession): Promise<Catalog> {
    const isYoung = this.#newest && this.#now().getTime() - this.#newest.readAtMs < CATALOG_AGE_MAX_MS
    return isYoung && this.#newest ? this.#newest : await this.#load(data, session)
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
   * As `refresh`, for when a request has failed with what the remembered catalog says of the relation `name`: five
   * times a second over all names.
   */
  async refreshAgain(data: CatalogSource, session: DataSession, name: string): Promise<Catalog> {
    const nowMs = this.#now().getTime()
    this.#refreshedAtMs = this.#refreshedAtMs.filter(atMs => nowMs - atMs < REFRESH_PAUSE_MS)
    if (this.#newest && this.#refreshedAtMs.length >= REFRESHES_PER_PAUSE) return this.#newest
    if (!this.#isJustMissed(name, nowMs)) this.#refreshedAtMs.push(nowMs)
    return await this.refresh(data, session, name)
  }

  /** The catalog as it is now, for a name that is not in the remembered one: once a second and name. */
  async refresh(data: CatalogSource, session: DataSession, name: string): Promise<Catalog> {
    const nowMs = this.#now().getTime()
    if (this.#newest && this.#isJustMissed(name, nowMs)) return this.#newest
    if (this.#missedAtMs.size >= MISSED_NAMES_MAX) this.#missedAtMs.clear()
    this.#missedAtMs.set(name, nowMs)
    return await this.#load(data, session)
  }

  #isJustMissed(name: string, nowMs: number): boolean {
    const missedAtMs = this.#missedAtMs.get(name)
    return missedAtMs !== undefined && nowMs - missedAtMs < REFRESH_PAUSE_MS
  }

  /** The catalog as it is now, whatever is remembered: for what must not be written from memory. One trip. */
  readAnew(data: CatalogSource, session: DataSession): Promise<Catalog> {
    return this.#load(data, session)
  }

  async #load(data: CatalogSource, session: DataSession): Promise<Catalog> {
    const readAtMs = this.#now().getTime()
    const text = await readText(data, session, catalogStatement(this.#schemas))
    const { relations, functions } = parseCatalog(text ?? '{"relations":[],"functions":[]}')
    const read = new Catalog(relations, functions, readAtMs)
    // Readings may overtake each other.
    if (!this.#newest || this.#newest.readAtMs <= readAtMs) this.#newest = read
    return read
  }
}

/** The one text that `statement` answers. With pg_catalog alone on the path every other name has its schema. */
async function readText(data: CatalogSource, session: DataSession, statement: Statement) {
  const [result] = await data.batch({ ...session, searchPath: ['pg_catalog'] }, [statement], {
    prepared: true,
    readOnly: true,
  })
  return result?.rows[0]?.[0]
}

/** The catalog cache of one isolate. */
export function makeCatalog(options: { schemas: readonly string[]; now: () => Date }): CatalogCache {
  return new CatalogCache(options.schemas, options.now)
}
