// What somebody has typed into a row, before it is sent: texts, NULL, or "let the default decide".

import { ApiError } from '../../../api/errors.ts'
import type { Column, Table } from './table-types.ts'

export type Draft = { kind: 'value'; text: string } | { kind: 'null' } | { kind: 'default' }

/** By column; one without a draft stays as it is, or gets its default in a new row. */
export type Drafts = ReadonlyMap<string, Draft>

export function isJson({ type }: Column): boolean {
  return type === 'json' || type === 'jsonb'
}

/**
 * The body of a write. Postgres reads each text as the type of its column, and so no number passes through JavaScript;
 * JSON goes as it was typed.
 */
export function bodyText({ columns }: Table, drafts: Drafts): string {
  const members = columns.flatMap(column => {
    const draft = drafts.get(column.name)
    if (draft === undefined || draft.kind === 'default') return []
    return [
      `${JSON.stringify(column.name)}:${draft.kind === 'null' ? 'null' : valueText(column, draft.text)}`,
    ]
  })
  return `{${members.join(',')}}`
}

function valueText(column: Column, text: string): string {
  return isJson(column) ? text : JSON.stringify(text)
}

/** Texts for JSON columns that are no JSON, by column: the body could not be sent with them. */
export function jsonProblems({ columns }: Table, drafts: Drafts): Map<string, string> {
  return new Map(
    columns.filter(isJson).flatMap(({ name }) => {
      const draft = drafts.get(name)
      const problem = draft?.kind === 'value' ? jsonProblem(draft.text) : undefined
      return problem === undefined ? [] : [[name, `Not valid JSON: ${problem}`] as const]
    }),
  )
}

function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (err) {
    return err instanceof Error ? err.message : String(err)
  }
}

/** The columns that an error of Postgres is about, as far as it names them. */
export function columnsOfError({ columns, name: table }: Table, error: Error | null): string[] {
  if (!(error instanceof ApiError)) return []
  const { code, message, detail } = error
  const named = NAMING_ONE.has(code) ? /column "(.+?)"/.exec(`${message} ${detail ?? ''}`)?.[1] : undefined
  const key = code === '23505' || code === '23503' ? /^Key \((.+?)\)=/.exec(detail ?? '')?.[1] : undefined
  const names = named !== undefined ? [named] : (key?.split(', ').map(unquoted) ?? [])
  // A check of one column is called `table_column_check`, unless somebody has named it.
  const check = code === '23514' ? /constraint "(.+?)"/.exec(message)?.[1] : undefined
  return columns
    .map(({ name }) => name)
    .filter(name => names.includes(name) || check === `${table}_${name}_check`)
}

/** NULL where none may be, values that are not of the type, generated columns. */
const NAMING_ONE = new Set(['23502', '22P02', '22003', '22007', '22008', '428C9', '42804'])

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name
}
