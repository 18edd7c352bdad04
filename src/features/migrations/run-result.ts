// What became of a batch, in the words of the answer (Spec, Dashboard API: migrations, rule 2). Pure.

import type { BundledMigrations } from './migration-file.ts'
import type { BatchResult } from './runner/batch-runner.ts'
import type { RunResult } from './schemas.ts'

export function runResult({ parts, applied, outside, failure, isRolledBack }: BatchResult): RunResult {
  const result = {
    applied: applied.map(({ name, hash }) => ({ name, hash })),
    outside_transaction: outside.map(file => file.name),
    parts: partsShown(parts),
  }
  if (failure === null)
    return { ok: true, summary: successSummary(applied.length, outside.length), ...result, failed: null }
  const { file, place, message, code = null, detail = null, hint = null } = failure
  return {
    ok: false,
    summary: failureSummary(
      file.name,
      isRolledBack,
      applied.map(({ name }) => name),
    ),
    ...result,
    failed: {
      name: file.name,
      error: message,
      statement: place.excerpt,
      line: place.line,
      code,
      detail,
      hint,
    },
  }
}

/** Parts of a run by the names of their migrations. */
export function partsShown(parts: BatchResult['parts']): RunResult['parts'] {
  return parts.map(({ files, inTransaction }) => ({
    migrations: files.map(({ name }) => name),
    in_transaction: inTransaction,
  }))
}

/** What failed, what became of its part, and what is committed all the same. */
export function failureSummary(name: string, isRolledBack: boolean, applied: readonly string[]): string {
  const what = isRolledBack
    ? `${name} failed: ${applied.length === 0 ? 'the whole batch' : 'what ran with it'} was rolled back.`
    : `${name} failed, outside of a transaction: what it had done stays, and an index may be invalid.`
  return applied.length === 0 ? what : `${what} Committed before it: ${applied.join(', ')}.`
}

/** What was looked at: a file that came later is not in this Worker yet. */
export function nothingToRun({ files, readAt }: BundledMigrations): string {
  const count = `${files.length} file${files.length === 1 ? '' : 's'}`
  const last = files.length === 0 ? '' : ` (${files.at(-1)?.name} is the last)`
  return (
    `There was nothing to run: this Worker has ${count} of migrations/${last}, as the folder was read at ${readAt}. ` +
    'Nothing was changed.'
  )
}

function successSummary(count: number, outside: number): string {
  const more = outside === 0 ? '' : `, ${outside} of them outside a transaction`
  return `Applied ${counted(count)}${more}.`
}

const counted = (count: number) => `${count} migration${count === 1 ? '' : 's'}`
