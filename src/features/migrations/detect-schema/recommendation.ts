// What to do with a migration whose objects were looked for, in words. Pure.

import type { MigrationCreations } from './read-creations.ts'
import type { SchemaFinding } from './schemas.ts'

type Unseen = Pick<MigrationCreations, 'untold' | 'others'>

/** How many names, and how many places, one answer lists. */
const NAMED_MAX = 20

/** The next step first, then what was not looked for. */
export function recommend(findings: readonly SchemaFinding[], unseen: Unseen): string {
  const { untold, others } = unseen
  if (findings.length + untold.length + others === 0) return 'Nothing was found: the text holds no statement.'
  const sentences = [nextStep(findings, unseen)]
  if (untold.length > 0) {
    const places = untold.map(({ line, reason }) => `line ${line} (${reason})`)
    sentences.push(`Not looked for: ${listed(places)}.`)
  }
  if (others > 0) {
    const what = others === 1 ? '1 other statement was' : `${others} other statements were`
    sentences.push(`${what} not compared with the database.`)
  }
  return sentences.join(' ')
}

function nextStep(findings: readonly SchemaFinding[], { untold, others }: Unseen): string {
  const count = findings.length
  if (count === 0) {
    return (
      'Nothing was found that could be looked for: no table, index, function or type is created. ' +
      'Look by hand whether the migration was run.'
    )
  }
  const missing = findings.filter(({ exists }) => !exists)
  if (missing.length === count) {
    const none = count === 1 ? 'The one object does not exist' : `None of the ${count} objects exists`
    return `${none}: run the migration.`
  }
  if (missing.length > 0) {
    const names = listed(missing.map(({ type, name }) => `${type} ${name}`))
    return (
      `${count - missing.length} of ${count} objects exist; missing: ${names}. Look by hand: a run may fail on what ` +
      'exists, and marking the migration as applied leaves out what is missing.'
    )
  }
  const condition = untold.length + others === 0 ? '' : ', if what else it does is in the database too'
  const all = count === 1 ? 'The one object exists' : `All ${count} objects exist`
  return `${all}: mark the migration as applied${condition}.`
}

function listed(items: readonly string[]): string {
  const rest = items.length - NAMED_MAX
  return items.slice(0, NAMED_MAX).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
