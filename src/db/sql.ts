// The one place where names become SQL text. Values never pass through here: they are parameters.

import { DomainError } from '../errors.ts'

/** A table, view or function with its schema, both as plain (unquoted) names. */
export interface QualifiedName {
  readonly schema: string
  readonly name: string
}

/** A text as UTF-8 bytes, in parts: what came as bytes and goes on as bytes is never one large string. */
export interface TextBytes {
  readonly parts: readonly Uint8Array[]
}

/** A parameter in Postgres' text form; `null` is SQL NULL. */
export type Parameter = string | null | TextBytes

/** A statement and its parameters. */
export interface Statement<Value extends Parameter = Parameter> {
  readonly sql: string
  readonly params: readonly Value[]
}

/** Quotes a name so that it can only ever be a name: `my"col` becomes `"my""col"`. NUL must be refused before. */
export function quoteIdentifier(name: string): string {
  return name.includes('"') ? `"${name.replaceAll('"', '""')}"` : `"${name}"`
}

/** `"schema"."name"`, both quoted. */
export function quoteQualified({ schema, name }: QualifiedName): string {
  return `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`
}

/** Postgres takes 65 535. */
const PARAMETERS_MAX = 20_000

/** Collects the parameters of one statement; `add` returns the placeholder that stands for the value. */
export class Parameters<Value extends Parameter = Parameter> {
  readonly values: Value[] = []

  /** Throws `invalid_parameter` beyond what one statement takes. */
  add(value: Value): string {
    if (this.values.length === PARAMETERS_MAX) {
      throw new DomainError('invalid_parameter', 'The request has more values than one statement takes.', {
        hint: 'Send fewer filters and JSON paths, above all in conditions on related rows.',
      })
    }
    this.values.push(value)
    return `$${this.values.length}`
  }
}
