// Runs what the editor holds. The Worker says first what would be lost: where that is something, it is asked about.

import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { type Asked, failedRun } from './failed-run.ts'
import { losesSomething } from './loss-words.ts'
import { recall, remember } from './memory.ts'
import { type Bounds, checkSql, type Outcome, runScript, runSql, type SqlCheck, type Way } from './queries.ts'

/**
 * `start` checks and runs, or leaves in `asking` what must be asked first; `agree` runs that. `error` is a `FailedRun`,
 * or says what became of a run that nobody waits for.
 */
export function useSqlRun(bounds: Bounds) {
  const [outcome, setOutcome] = useState(() => recall().outcome)
  const [asking, setAsking] = useState<Asked>()
  const waiting = useRef<AbortController>(undefined)
  const run = useMutation({
    /** Checked first, unless it was agreed to: then it is what was checked. */
    mutationFn: async ({ asked, isAgreed }: { asked: Asked; isAgreed: boolean }) => {
      waiting.current = new AbortController()
      const { signal } = waiting.current
      let { check } = asked
      let isSent = isAgreed
      try {
        if (!isAgreed) check = await checkSql(asked.sent, signal)
        if (!isAgreed && mustAsk(asked.way, check)) return setAsking({ ...asked, check })
        isSent = true
        const answer = await send({ ...asked, check }, bounds, signal)
        remember(asked.sent === asked.text ? { outcome: answer, kept: asked.text } : { outcome: answer })
        setOutcome(answer)
      } catch (err) {
        // The server does not notice who has gone.
        if (signal.aborted)
          throw new Error(
            isSent
              ? `You stopped waiting. The statement may keep running, for ${bounds.timeoutMs / 1_000} s at most.`
              : 'It was not run.',
          )
        throw err instanceof Error ? failedRun(err, { ...asked, check }) : err
      }
    },
  })
  return {
    outcome,
    error: run.error,
    /** Of a run under way. */
    way: run.isPending ? run.variables.asked.way : undefined,
    asking,
    start: (asked: Asked) => run.mutate({ asked, isAgreed: false }),
    agree: (asked: Asked) => run.mutate({ asked, isAgreed: true }),
    doNotAsk: () => setAsking(undefined),
    stop: () => waiting.current?.abort(),
  }
}

function mustAsk(way: Way, check: SqlCheck | undefined): boolean {
  if (way === 'analyze') return check === undefined || check.statements.length === 1
  return way === 'run' && check !== undefined && losesSomething(check)
}

function send({ way, sent, check }: Asked, bounds: Bounds, signal: AbortSignal): Promise<Outcome> {
  const statements = check?.statements ?? []
  if (statements.length <= 1) return runSql(sent, way, bounds, signal)
  if (way === 'run') return runScript(statements, bounds, signal)
  throw new Error(`Explain takes one statement: select one of the ${statements.length}.`)
}
