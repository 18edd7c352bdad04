// What all questions to other systems have in common that `GET /v1/status` and `GET /v1/gateway/health` ask.

import * as z from 'zod'

/** Who asks how the platform is must not wait as long as a request may. */
export const PROBE_TIMEOUT_MS = 2_000

export const PortState = z
  .enum(['up', 'down', 'misconfigured', 'off'])
  .describe('misconfigured: something else answers there, or it refuses Quoin; off: its variable is not set')
export type PortState = z.infer<typeof PortState>

/** What a part that was asked says of itself. */
export interface Probed {
  state: PortState
  /** Until it answered, in milliseconds; null where no answer came. */
  latencyMs: number | null
  /** Sentences of ours for what is wrong, and what to do; empty where all is well. */
  problems: readonly string[]
}

export const NOT_SET_UP: Probed = { state: 'off', latencyMs: null, problems: [] }

export function down(problem: string): Probed {
  return { state: 'down', latencyMs: null, problems: [problem] }
}

/** Milliseconds since `startedAt` of `performance.now()`, to a tenth. */
export function latencySince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10
}

/** Notes why a part is not well. The answer says it in sentences of ours: the words of others are for the log alone. */
export function logProbeFailure(code: string, err: unknown): void {
  const { message, cause } = err instanceof Error ? err : new Error(String(err))
  console.error(JSON.stringify({ level: 'error', code, message, cause: cause && String(cause) }))
}
