// Writes what a WebhookFanout has to tell Postgres: attempts, dead letters, the webhook's health. In batches, behind
// the deliveries, and from disk: what Postgres does not take now is tried again later.

import type { PlatformDatabase } from '../../src/db/database.ts'
import { PostgresError } from '../../src/db/postgres-error.ts'
import {
  type DeadLetterRecord,
  type DeliveryRecord,
  insertDeadLetter,
  insertDeadLetterPart,
  insertDeliveries,
  joinDeadLetterParts,
  resolveDeadLetters,
} from '../../src/features/webhooks/delivery/delivery-log.ts'
import { positionOfEvent } from '../../src/features/webhooks/delivery/event-identity.ts'
import type { Report } from './report-storage.ts'
import type { FanoutStorage } from './storage.ts'

const BATCH_ROWS = 250
const BATCH_CHARACTERS = 2 * 1024 * 1024

/**
 * Writes everything that waits now: what comes meanwhile may come faster than it is written. Throws when Postgres
 * does not take it; what was taken is not written again.
 */
export async function flushReports(platform: PlatformDatabase, storage: FanoutStorage): Promise<void> {
  const last = storage.reports.lastSequence()
  for (;;) {
    const reports = storage.reports.batch(last, BATCH_ROWS, BATCH_CHARACTERS)
    if (reports.length === 0) return
    await writeBatch(platform, storage, reports)
    storage.reports.drop(reports)
  }
}

async function writeBatch(
  platform: PlatformDatabase,
  storage: FanoutStorage,
  reports: readonly Report[],
): Promise<void> {
  const deliveries = reports.filter(report => report.kind === 'delivery')
  if (deliveries.length > 0) await writeDeliveries(platform, deliveries)
  for (const letter of reports.filter(report => report.kind === 'dead_letter')) {
    await writeDeadLetter(platform, storage, letter)
  }
  const resolved = reports.filter(report => report.kind === 'resolved')
  const ids = resolved.map(report => (JSON.parse(report.record) as { id: string }).id)
  if (ids.length > 0) await resolveDeadLetters(platform, ids)
}

/** One that Postgres refuses for what is in it would hold up all others for good: it is left out, and logged. */
async function writeDeliveries(platform: PlatformDatabase, reports: readonly Report[]): Promise<void> {
  const rows = reports.map(report => ({
    ...(JSON.parse(report.record) as DeliveryRecord),
    payload: report.payload ?? '',
  }))
  try {
    await insertDeliveries(platform, rows)
  } catch (err) {
    if (!isRefusal(err)) throw err
    if (reports.length > 1) for (const report of reports) await writeDeliveries(platform, [report])
    else
      console.error(
        JSON.stringify({ level: 'error', message: 'a log entry was refused', cause: err.message }),
      )
  }
}

async function writeDeadLetter(
  platform: PlatformDatabase,
  storage: FanoutStorage,
  report: Report,
): Promise<void> {
  const letter = JSON.parse(report.record) as DeadLetterRecord
  await insertDeadLetter(platform, letter, report.payload)
  if (report.payload !== null) return
  const position = positionOfEvent(letter.event_id)
  await writePieces(platform, letter.id, storage.pieces.of(position))
  // Together, and at once: pieces without the report are lost, and a report without them would be written without a
  // body. Whoever took the letter back meanwhile has dropped both, and pieces that are there now are of the event in
  // the queue.
  if (storage.reports.drop([report]) > 0) storage.pieces.drop(position)
}

async function writePieces(
  platform: PlatformDatabase,
  letterId: string,
  pieces: Iterable<string>,
): Promise<void> {
  let count = 0
  for (const piece of pieces) await insertDeadLetterPart(platform, letterId, count++, piece)
  if (count > 0) await joinDeadLetterParts(platform, letterId)
}

function isRefusal(err: unknown): err is PostgresError {
  return err instanceof PostgresError && /^2[23]/.test(err.code)
}
