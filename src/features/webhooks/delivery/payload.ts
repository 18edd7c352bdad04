// The body of a delivery: exactly the specification's six fields, as text. Images are spliced in as the JSON that
// Postgres wrote: parsing them would round bigint and numeric. Pure.

import type { ChunkEvent, RowEvent } from '../../row-changes/ingest/messages.ts'

export interface PayloadParts {
  event: ChunkEvent
  schema: string
  table: string
  /** JSON text; null: there is none, or it could not be made. */
  row: string | null
  oldRow: string | null
  /** When the change was made, in any form that `Date` reads. */
  occurredAt: string
}

/** The body around its two images, for images that are too large to hold at once. */
export interface PayloadFrame {
  beforeRow: string
  betweenRows: string
  afterRows: string
}

/** The whole body. */
export function payloadText(parts: PayloadParts): string {
  const { beforeRow, betweenRows, afterRows } = payloadFrame(parts)
  return beforeRow + (parts.row ?? 'null') + betweenRows + (parts.oldRow ?? 'null') + afterRows
}

/** What stands before, between and after the images. */
export function payloadFrame({
  event,
  schema,
  table,
  occurredAt,
}: Omit<PayloadParts, 'row' | 'oldRow'>): PayloadFrame {
  const [schemaText, tableText] = [JSON.stringify(schema), JSON.stringify(table)]
  return {
    beforeRow: `{"event":"${event}","schema":${schemaText},"table":${tableText},"row":`,
    betweenRows: ',"old_row":',
    afterRows: `,"timestamp":"${new Date(occurredAt).toISOString()}"}`,
  }
}

/** Event and time of a body that `payloadText` wrote, from its two ends; undefined for any other text. */
export function readFacts(
  beginning: string,
  end: string,
): { event: RowEvent; occurredAtMs: number } | undefined {
  const event = /^\{"event":"(INSERT|UPDATE|DELETE)"/.exec(beginning)?.[1]
  const timestamp = /,"timestamp":"([0-9TZ:.-]+)"\}$/.exec(end)?.[1]
  const occurredAtMs = Date.parse(timestamp ?? '')
  if (event === undefined || Number.isNaN(occurredAtMs)) return undefined
  return { event: event as RowEvent, occurredAtMs }
}
