// What the sweep has found, as `GET /v1/storage/buckets` and `GET /v1/status` say it.

import * as z from 'zod'
import type { PlatformDatabase } from '../../../db/database.ts'
import { addFigures, NO_FIGURES, type PassFigures } from './sweep-state.ts'

const Count = z.object({ count: z.number(), bytes: z.number() })

export const StorageLeftovers = z
  .object({
    last_completed_at: z.iso
      .datetime()
      .nullable()
      .describe('when all files were last walked, which the other figures are of; null: not yet'),
    blobs: z.number().describe('files in the store, whatever they are'),
    bytes: z.number(),
    orphans: Count.extend({ keys: z.array(z.string()).describe('the first, as bucket/version') }).describe(
      'files without a row, as a crash leaves them; deleted by the sweep',
    ),
    foreign: Count.describe('files without a row that another database has written, and that are left to it'),
    waiting: Count.describe('deleted and replaced files, which live on for STORAGE_RETENTION'),
    missing: z
      .object({ count: z.number(), names: z.array(z.string()).describe('the first, as bucket/name') })
      .describe('rows whose file is not there'),
    expired_uploads: z.number().describe('uploads that nobody finished within a day'),
    halted: z
      .object({ at: z.iso.datetime(), reason: z.string() })
      .nullable()
      .describe('why the sweep deletes nothing until an operator says so; null: it does'),
  })
  .meta({
    id: 'StorageLeftovers',
    examples: [
      {
        last_completed_at: '2026-01-31T12:17:00.000Z',
        blobs: 1_204,
        bytes: 734_003_200,
        orphans: { count: 1, bytes: 52_428, keys: ['avatars/0f8fad5b-d9cb-469f-a165-70867728950e'] },
        foreign: { count: 0, bytes: 0 },
        waiting: { count: 12, bytes: 1_048_576 },
        missing: { count: 0, names: [] },
        expired_uploads: 1,
        halted: null,
      },
    ],
  })
export type StorageLeftovers = z.infer<typeof StorageLeftovers>

/** The row as JSON has it; one statement may ask for it beside other things. */
export interface SweepFacts {
  completed: Partial<PassFigures> | null
  completed_at: string | null
  halted_at: string | null
  halt_reason: string | null
}

/** `SweepFacts` as a JSON object; null without the row. */
export const SWEEP_FACTS_SQL = `
  (select json_build_object('completed', s.completed, 'completed_at', s.completed_at, 'halted_at', s.halted_at,
    'halt_reason', s.halt_reason) from quoin.storage_sweeps s)`

/** The figures of the last whole pass. Throws what the database does. */
export async function readSweepFigures({
  platform,
}: {
  platform: Pick<PlatformDatabase, 'query'>
}): Promise<StorageLeftovers> {
  const sql = `select ${SWEEP_FACTS_SQL} as facts`
  const [row] = await platform.query<{ facts: SweepFacts | null }>(sql, [], 'repeatable')
  return toLeftovers(row?.facts ?? null)
}

/** Of a deployment that was never swept all is zero. */
export function toLeftovers(facts: SweepFacts | null): StorageLeftovers {
  const figures = addFigures(NO_FIGURES, facts?.completed ?? {})
  const { completed_at = null, halted_at = null, halt_reason = null } = facts ?? {}
  return {
    last_completed_at: completed_at === null ? null : new Date(completed_at).toISOString(),
    blobs: figures.blobs,
    bytes: figures.bytes,
    orphans: { count: figures.orphans, bytes: figures.orphan_bytes, keys: figures.orphan_keys },
    foreign: { count: figures.foreign, bytes: figures.foreign_bytes },
    waiting: { count: figures.waiting, bytes: figures.waiting_bytes },
    missing: { count: figures.missing, names: figures.missing_names },
    expired_uploads: figures.expired_uploads,
    halted:
      halted_at === null || halt_reason === null
        ? null
        : { at: new Date(halted_at).toISOString(), reason: halt_reason },
  }
}
