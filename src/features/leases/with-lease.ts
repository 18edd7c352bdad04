// Changes that must not be made side by side, although another server makes them: each waits for the one before.

import type { PlatformDatabase } from '../../db/database.ts'
import { DomainError, isOutcomeUnknown } from '../../errors.ts'

export interface LeaseDeps {
  platform: Pick<PlatformDatabase, 'query'>
}

/** Longer than any change takes from its first call to the last. */
const LEASE_SECONDS = 60
/** A change that is begun later than this could outlive the lease. */
const BEGIN_WITHIN_MS = 40_000
const WAIT_MS_MAX = 10_000
const WAIT_STEP_MS = 50

const TAKE = `
  insert into quoin.leases as held (name, holder, ends_at)
  values ($1, $2, clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}))
  on conflict (name) do update set holder = excluded.holder, ends_at = excluded.ends_at
    where held.ends_at < clock_timestamp()
  returning holder`

const RETURN = 'delete from quoin.leases where name = $1 and holder = $2::uuid returning name'

/**
 * Runs `perform` while nobody else runs one under the same name. `perform` calls `stillMine` right before it changes
 * something. Throws `conflict` when others take longer than ten seconds, and what `perform` throws. The lease of a
 * change whose end nobody saw is left to end by itself.
 */
export async function withLease<Result>(
  deps: LeaseDeps,
  name: string,
  perform: (stillMine: () => void) => Promise<Result>,
): Promise<Result> {
  const holder = crypto.randomUUID()
  await take(deps, name, holder)
  const takenMs = Date.now()
  try {
    const result = await perform(() => {
      if (Date.now() - takenMs > BEGIN_WITHIN_MS) throw busy('The change took too long to prepare.')
    })
    await giveBack(deps, name, holder)
    return result
  } catch (err) {
    if (!isOutcomeUnknown(err)) await giveBack(deps, name, holder)
    throw err
  }
}

async function take({ platform }: LeaseDeps, name: string, holder: string): Promise<void> {
  const endsMs = Date.now() + WAIT_MS_MAX
  while ((await platform.query(TAKE, [name, holder])).length === 0) {
    if (Date.now() > endsMs) throw busy('Another change of the same kind is under way.')
    await new Promise(resolve => setTimeout(resolve, WAIT_STEP_MS))
  }
}

/** What was done stays done: a lease that cannot be given back ends by itself. */
async function giveBack({ platform }: LeaseDeps, name: string, holder: string): Promise<void> {
  try {
    await platform.query(RETURN, [name, holder])
  } catch (err) {
    console.error(JSON.stringify({ level: 'error', code: 'lease_kept', name, message: String(err) }))
  }
}

function busy(message: string): DomainError {
  return new DomainError('conflict', message, {
    hint: 'Nothing was changed: try again in a moment.',
    retryAfterSeconds: 5,
  })
}
