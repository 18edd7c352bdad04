// The line that a request leaves in the log: what it was and what became of it, never what was sent.

import type { FinishedRequest } from '../metrics/request-batch.ts'

/** Writes the line, as JSON, where `which` wants it. */
export function logRequest(which: 'all' | 'errors' | 'off', request: FinishedRequest): void {
  const { requestId, route, status, durationMs, keyId } = request
  if (which === 'off' || (which === 'errors' && status < 500)) return
  const entry = {
    level: status >= 500 ? 'error' : 'info',
    component: 'http',
    request_id: requestId,
    route,
    status,
    duration_ms: Math.round(durationMs * 10) / 10,
    key_id: keyId,
  }
  console.log(JSON.stringify(entry))
}
