// Backups and branches as endpoints show them, whoever keeps them.

import * as z from 'zod'

const Provider = z
  .enum(['neon', 'postgres'])
  .meta({ examples: ['postgres'] })
  .describe(
    'who keeps them: Neon, where NEON_API_KEY and NEON_PROJECT_ID are set, else Quoin’s own command line',
  )
export type ProviderName = z.infer<typeof Provider>

const Time = z.iso.datetime({ offset: true })

export const Backup = z
  .object({
    id: z.string(),
    name: z.string().describe('of the folder, or of the snapshot'),
    status: z.enum(['running', 'completed', 'failed']).describe('one that was cut off is failed'),
    started_at: Time,
    finished_at: Time.nullable(),
    size_bytes: z.int().nullable().describe('compressed, of a folder; the logical size, of a snapshot'),
    location: z.string().describe('the folder, on the machine that made it; the branch, of a snapshot'),
    lsn: z.string().nullable().describe('the place in the WAL when its snapshot was taken, within moments'),
    verified_at: Time.nullable().describe(
      'when it was last restored for a trial and found equal; null: never, as for every snapshot',
    ),
    expires_at: Time.nullable(),
    error: z.string().nullable(),
  })
  .meta({
    id: 'Backup',
    examples: [
      {
        id: '98f04b39-cadb-4b6b-9476-1da6f4bb9513',
        name: '20261126T163642Z-98f04b39',
        status: 'completed',
        started_at: '2026-11-26T16:36:42.506Z',
        finished_at: '2026-11-26T16:36:44.120Z',
        size_bytes: 186_800,
        location: '/srv/backups/20261126T163642Z-98f04b39',
        lsn: '0/29E88B8',
        verified_at: '2026-11-26T16:39:20.004Z',
        expires_at: null,
        error: null,
      },
    ],
  })
export type Backup = z.infer<typeof Backup>

export const Branch = z
  .object({
    id: z.string().describe('the name of the database, or Neon’s id'),
    name: z.string(),
    parent_id: z.string().nullable(),
    state: z
      .enum(['creating', 'resetting', 'ready', 'archived', 'failed', 'unknown'])
      .describe('failed: its making was cut off; the next one of that name takes its place'),
    is_current: z
      .boolean()
      .describe('this service works on it; of Neon’s branches, the default one is said to be'),
    created_at: Time.nullable().describe('null: not known'),
    size_bytes: z.int().nullable(),
    expires_at: Time.nullable(),
  })
  .meta({
    id: 'Branch',
    examples: [
      {
        id: 'quoin_branch_trial',
        name: 'trial',
        parent_id: 'quoin',
        state: 'ready',
        is_current: false,
        created_at: '2026-11-26T16:45:00.000Z',
        size_bytes: 9_000_000,
        expires_at: null,
      },
    ],
  })
export type Branch = z.infer<typeof Branch>

export const BackupList = z
  .object({ data: z.array(Backup).describe('newest first'), next_cursor: z.null(), provider: Provider })
  .meta({ id: 'BackupList' })
export type BackupList = z.infer<typeof BackupList>

export const BranchList = z
  .object({
    data: z.array(Branch).describe('the current one first, then the newest'),
    next_cursor: z.null(),
    provider: Provider,
  })
  .meta({ id: 'BranchList' })
export type BranchList = z.infer<typeof BranchList>
