// Which table a name stands for while the statements of a run go by. Pure; begins with what the database has.

import type { NameChange } from './name-changes.ts'
import type { RelationName } from './table-effect.ts'

/** A relation that is there now; of an index, its table. */
export interface RelationNow {
  /** `public.todos` */
  readonly shown: string
  readonly sizeBytes: number | null
  readonly rows: number | null
  readonly foreignKeys: readonly ForeignKey[]
}

/** One that the table has, or that refers to it. */
export interface ForeignKey {
  readonly name: string
  /** The columns of this table. */
  readonly columns: readonly string[]
  /** How the table at the other end is called. */
  readonly other: string
}

/** What was made on the way: nobody else sees it. */
type Known = RelationNow | 'new'

/** Searched before all others, unless the path names them. */
const SEARCHED_FIRST = ['pg_temp', 'pg_catalog']

export class KnownRelations {
  readonly #known: Map<string, Known>
  readonly #firstPath: readonly string[]
  #path: readonly string[]

  constructor(now: ReadonlyMap<string, RelationNow>, searchPath: readonly string[]) {
    this.#known = new Map(now)
    this.#firstPath = searchPath
    this.#path = searchPath
  }

  /** A new file begins with the search path of the run. */
  beginFile(): void {
    this.#path = this.#firstPath
  }

  /** The relation that others may use by that name; undefined for one that is new, or not there. */
  find(name: RelationName): RelationNow | undefined {
    const known = this.#known.get(this.#keyOf(name) ?? '')
    return known === 'new' ? undefined : known
  }

  apply(change: NameChange): void {
    if (change.kind === 'search_path') this.#path = change.path ?? this.#firstPath
    else if (change.kind === 'made') this.#known.set(relationKey(this.#newName(change.name)), 'new')
    else if (change.kind !== 'domain_made') this.#takeAway(change)
  }

  #takeAway(change: Exclude<NameChange, { kind: 'search_path' | 'domain_made' }>): void {
    const key = this.#keyOf(change.name)
    const known = this.#known.get(key ?? '')
    if (key === undefined || known === undefined) return
    this.#known.delete(key)
    if (change.kind !== 'renamed') return
    const schema = change.to.schema ?? schemaOf(key)
    this.#known.set(relationKey({ schema, name: change.to.name }), known)
  }

  #keyOf(name: RelationName): string | undefined {
    return candidates(name, this.#path).find(key => this.#known.has(key))
  }

  #newName({ schema, name }: RelationName): RelationName {
    return { schema: schema ?? this.#path[0], name }
  }
}

/** Where a name is looked for, in order. */
export function candidates({ schema, name }: RelationName, path: readonly string[]): string[] {
  if (schema !== undefined) return [relationKey({ schema, name })]
  const first = SEARCHED_FIRST.filter(implicit => !path.includes(implicit))
  return [...first, ...path].map(searched => relationKey({ schema: searched, name }))
}

export function relationKey({ schema, name }: RelationName): string {
  return JSON.stringify([schema, name])
}

function schemaOf(key: string): string {
  return (JSON.parse(key) as [string, string])[0]
}
