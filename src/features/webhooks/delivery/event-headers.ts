// What a delivery says about its event beside the body, and the example that a test sends. Pure.

import { payloadText } from './payload.ts'
import type { WebhookRow } from './webhook-row.ts'

const VALUE_LENGTH_MAX = 200

/** Headers of ours for one event. */
export function eventHeaders(event: {
  requestId: string | null
  payloadError: string | null
  replayOf: string | null
}): Record<string, string> {
  return {
    ...(event.requestId !== null && { 'x-request-id': printable(event.requestId) }),
    ...(event.payloadError !== null && { 'x-quoin-payload-error': printable(event.payloadError) }),
    ...(event.replayOf !== null && { 'x-quoin-replay-of': event.replayOf }),
  }
}

/** Tells a test from a change, whose body looks the same. */
export const TEST_HEADERS = { 'x-quoin-test': 'true' }

/** A body as the webhook's table would cause it, with a row of `readExampleRow`. */
export function examplePayload(
  { table_schema, table_name, events }: WebhookRow,
  image: string,
  nowMs: number,
): string {
  const event = events[0] ?? 'INSERT'
  return payloadText({
    event,
    schema: table_schema,
    table: table_name,
    row: image,
    oldRow: event === 'INSERT' ? null : image,
    occurredAt: new Date(nowMs).toISOString(),
  })
}

/** What was put into `application_name` or an error's text is not always what may stand in a header. */
function printable(text: string): string {
  return text.slice(0, VALUE_LENGTH_MAX).replace(/[^\x20-\x7e]/g, '?')
}
