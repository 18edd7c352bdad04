// Tells the limiters of many keys how their keys are now. One that cannot be told reads it by itself within a minute.

import { concurrently } from '../../lib/concurrently.ts'
import { deadline } from '../../lib/deadline.ts'
import type { KeyLimiters } from '../api-keys/limit/key-limiter.ts'
import type { KeyRow } from '../api-keys/record/key-row.ts'

const AT_ONCE_MAX = 100
/** For all of them together: whoever pauses a project waits for the answer. */
const TELLING_TIMEOUT_MS = 3_000

/** How many of them know by the time that this answers. Never throws. */
export async function tellLimiters(limiters: KeyLimiters, rows: readonly KeyRow[]): Promise<number> {
  let told = 0
  const endsAtMs = performance.now() + TELLING_TIMEOUT_MS
  const telling = concurrently(rows, AT_ONCE_MAX, async row => {
    // Objects that answer one after the other without a pause keep a timer from coming in time.
    if (performance.now() >= endsAtMs) return
    try {
      await limiters.byHash(row.key_hash).learn(row)
      told += 1
    } catch (err) {
      console.error(JSON.stringify({ level: 'error', message: 'a limiter was not told', cause: String(err) }))
    }
  })
  try {
    await deadline(TELLING_TIMEOUT_MS, telling)
  } catch {
    // Those that did not answer in time count as not told, whatever becomes of them.
  }
  return told
}
