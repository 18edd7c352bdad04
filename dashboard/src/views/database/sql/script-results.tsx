// What a script answered: each statement with its result, in order.

import type { ScriptResult } from './queries.ts'
import { msWords, Result } from './result.tsx'

export function ScriptResults({ of: results, ms }: { of: readonly ScriptResult[]; ms: number }) {
  return (
    <>
      <p role="status" className="text-kumo-subtle tabular-nums">
        {results.length} statements, in one transaction · {msWords(ms)}
      </p>
      <ol aria-label="Results" className="flex min-w-0 flex-col gap-6">
        {results.map(({ sql, answer }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the results of a script do not change
          <li key={i} className="flex min-w-0 flex-col gap-2">
            <p className="flex min-w-0 gap-2">
              <span className="text-kumo-subtle tabular-nums">{i + 1}</span>
              <code className="min-w-0 truncate" title={sql}>
                {firstWords(sql)}
              </code>
            </p>
            <Result of={answer} number={i + 1} />
          </li>
        ))}
      </ol>
    </>
  )
}

/** Without the comments before it, on one line. */
function firstWords(sql: string): string {
  const words = sql.replace(/^(?:[\s;]+|--.*(?:\n|$)|\/\*[\s\S]*?\*\/)+/, '')
  return (words || sql).slice(0, 200).replace(/\s+/g, ' ')
}
