// What all questions of `GET /v1/status` to other systems have in common.

/** Who asks how the platform is must not wait as long as a request may. */
export const PROBE_TIMEOUT_MS = 2_000

/** Notes why a part is not well. The answer says it in sentences of ours: the words of others are for the log alone. */
export function logProbeFailure(code: string, err: unknown): void {
  const { message, cause } = err instanceof Error ? err : new Error(String(err))
  console.error(JSON.stringify({ level: 'error', code, message, cause: cause && String(cause) }))
}
