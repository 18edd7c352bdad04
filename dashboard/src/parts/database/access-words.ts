// Which rows a role reaches, in words. Pure.

import type { Schema } from '../../api/schema.ts'

export type Structure = Schema<'TableStructure'>
export type Access = Schema<'TableAccess'>
export type Policy = Schema<'TablePolicy'>
export type Command = keyof Schema<'TableAccessByCommand'>

export const COMMANDS: readonly { command: Command; verb: string }[] = [
  { command: 'select', verb: 'Read' },
  { command: 'insert', verb: 'Insert' },
  { command: 'update', verb: 'Change' },
  { command: 'delete', verb: 'Delete' },
]

const ROWS: Readonly<Record<Access['rows'], string>> = { none: 'None', some: 'Some rows', all: 'All rows' }

/** `All rows`; of a grant for some columns, which. */
export function rowsWords({ rows, columns }: Access): string {
  return columns === null || rows === 'none' ? ROWS[rows] : `${ROWS[rows]}, ${columns.join(', ')}`
}

export type AccessByCommand = Schema<'TableAccessByCommand'>

/** All commands in a few words, a text for each kind of rows that they reach: `All rows: read, insert`. */
export function commandsWords(access: AccessByCommand): string[] {
  const words = (['all', 'some'] as const).flatMap(rows => {
    const verbs = COMMANDS.filter(({ command }) => access[command].rows === rows)
    return verbs.length === 0
      ? []
      : `${ROWS[rows]}: ${verbs.map(({ verb }) => verb.toLowerCase()).join(', ')}`
  })
  return words.length === 0 ? ['Nothing'] : words
}

/** Why it is so: a sentence without its full stop. */
export function reasonWords({ because, rows, policies }: Access): string {
  switch (because) {
    case 'no_grant':
      return 'it was not granted'
    case 'not_possible':
      return 'rows of it cannot be changed so'
    case 'no_policy':
      return 'row-level security is on, and no policy allows it'
    case 'no_reading':
      return 'it may read no row to change'
    case 'no_row_level_security':
      return 'row-level security is off'
    case 'bypasses':
      return 'policies do not hold for this role'
    case 'view_owner':
      return 'the view reads with its owner’s rights'
    case 'tables_below':
      return 'the tables under the view decide'
    case 'policies':
      return policyWords(rows, policies)
  }
}

function policyWords(rows: Access['rows'], policies: readonly string[]): string {
  if (rows === 'none') return 'the policies let no row pass'
  const names = policies.join(', ')
  const [one, many] = rows === 'all' ? ['lets', 'let'] : ['decides', 'decide']
  const words = policies.length === 1 ? `${names} ${one}` : `${names} ${many}`
  return rows === 'all' ? `${words} every row pass` : words
}

const COMMAND_WORDS: Readonly<Record<Policy['command'], string>> = {
  all: 'everything',
  select: 'reading',
  insert: 'inserting',
  update: 'changing',
  delete: 'deleting',
}

/** `Allows reading to anon, where`: what its expression is said after. */
export function policySentence({ permissive, command, roles }: Policy): string {
  const who = roles.map(role => (role === 'public' ? 'everybody' : role)).join(', ')
  return permissive
    ? `Allows ${COMMAND_WORDS[command]} to ${who}`
    : `Restricts ${COMMAND_WORDS[command]} of ${who}, whatever others allow`
}
