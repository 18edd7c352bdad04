// The one place where names become SQL text. Values never pass through here: they are parameters.

/** A table, view or function with its schema, both as plain (unquoted) names. */
export interface QualifiedName {
  readonly schema: string
  readonly name: string
}

/** A statement and its parameters in Postgres' text form; `null` is SQL NULL. */
export interface Statement {
  readonly sql: string
  readonly params: readonly (string | null)[]
}

/** Quotes a name so that it can only ever be a name: `my"col` becomes `"my""col"`. NUL must be refused before. */
export function quoteIdentifier(name: string): string {
  return name.includes('"') ? `"${name.replaceAll('"', '""')}"` : `"${name}"`
}

/** `"schema"."name"`, both quoted. */
export function quoteQualified({ schema, name }: QualifiedName): string {
  return `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`
}

/** Collects the parameters of one statement; `add` returns the placeholder that stands for the value. */
export class Parameters {
  readonly values: (string | null)[] = []

  add(value: string | null): string {
    this.values.push(value)
    return `$${this.values.length}`
  }
}
