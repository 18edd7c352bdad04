// What becomes of a claim, and of its blob, when a step of a write fails. What cannot be undone now is the sweep's to
// find, and the caller gets the error of the step itself.

import { PostgresError } from '../../../db/postgres-error.ts'
import { DomainError, isOutcomeUnknown } from '../../../errors.ts'
import type { StorageDeps } from '../as-caller.ts'
import { type Claim, dropClaim, loseClaim } from './claims.ts'

type Deps = Pick<StorageDeps, 'blobs' | 'platform'>

/** Runs a step before any byte is stored: when it fails, the claim is ended. */
export async function orDrop<T>(
  deps: Pick<Deps, 'platform'>,
  claim: Claim,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step()
  } catch (err) {
    await giveUp(() => dropClaim(deps, claim))
    throw err
  }
}

/** Runs a step that cannot be made again: when it fails, claim and blob go. */
export async function orTakeBack<T>(deps: Deps, claim: Claim, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (err) {
    await takeBack(deps, claim)
    throw err
  }
}

/**
 * Runs a step that may be made again: claim and blob stay where the failure passes, and where nobody knows whether the
 * row was written.
 */
export async function orTakeBackForGood<T>(deps: Deps, claim: Claim, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (err) {
    if (!isPassing(err)) await takeBack(deps, claim)
    throw err
  }
}

/**
 * Removes the claim and its blob; a copy's blob is others' too. A claim that is gone may have been used by a row: then
 * the blob is left alone.
 */
export async function takeBack({ blobs, ...deps }: Deps, claim: Claim): Promise<void> {
  await giveUp(async () => {
    if (claim.sharesBlob) await dropClaim(deps, claim)
    else if (await loseClaim(deps, claim)) await blobs.delete([claim.key])
  })
}

const PASSING_CODES: ReadonlySet<string> = new Set([
  'database_unavailable',
  'project_paused',
  'storage_unavailable',
  'too_many_calls',
])
/** Time-outs, locks, clashes of transactions, what Postgres has too little of, its faults, and a standby's refusal. */
const PASSING_SQLSTATES = /^(?:08|53|57|58|XX)|^(?:25006|40001|40P01|55P03)$/

/** Whether the same may go well later, or has gone well already. */
export function isPassing(err: unknown): boolean {
  if (err instanceof PostgresError) return PASSING_SQLSTATES.test(err.code)
  return isOutcomeUnknown(err) || (err instanceof DomainError && PASSING_CODES.has(err.code))
}

async function giveUp(work: () => Promise<unknown>): Promise<void> {
  await work().catch((err: unknown) => {
    console.error(JSON.stringify({ level: 'error', code: 'storage_left_behind', message: String(err) }))
  })
}
