// What became of a batch, in the words of the answer (Spec, Dashboard API: migrations, rule 2). Pure.

import type { BatchResult } from './runner/batch-runner.ts'
import type { RunResult } from './schemas.ts'

export function runResult({ applied, outside, failure, isRolledBack }: BatchResult): RunResult {
  const result = {
    applied: applied.map(({ name, hash }) => ({ name, hash })),
    outside_transaction: outside.map(file => file.name),
  }
  if (failure === null)
    return { ok: true, summary: successSummary(applied.length, outside.length), ...result, failed: null }
  const { file, place, message, code = null, detail = null, hint = null } = failure
  return {
    ok: false,
    summary: isRolledBack
      ? `${file.name} failed: the whole batch was rolled back.`
      : outsideSummary(
          file.name,
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

function successSummary(count: number, outside: number): string {
  if (count === 0) return 'There was nothing to run; nothing was changed.'
  const more = outside === 0 ? '' : `, ${outside} of them outside of the transaction`
  return `Applied ${counted(count)}${more}.`
}

function outsideSummary(name: string, applied: readonly string[]): string {
  const before = applied.length === 0 ? '' : ` Applied before it: ${applied.join(', ')}.`
  return `${name} failed, outside of a transaction: what it had done stays, and an index may be invalid.${before}`
}

const counted = (count: number) => `${count} migration${count === 1 ? '' : 's'}`
