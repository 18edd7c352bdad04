// Waiting inside workerd for what an object does by itself.

const DEADLINE_MS = 15_000
const INTERVAL_MS = 50

/**
 * Calls `check` until it throws no more, and answers what it answers; throws what it threw last when `deadlineMs` have
 * passed. Leaves a faked clock alone, which `vi.waitFor` and `expect.poll` move at each look.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { deadlineMs = DEADLINE_MS }: { deadlineMs?: number } = {},
): Promise<T> {
  const endsAtMs = performance.now() + deadlineMs
  for (;;) {
    try {
      return await check()
    } catch (err) {
      if (performance.now() > endsAtMs) throw err
    }
    await new Promise(resolve => setTimeout(resolve, INTERVAL_MS))
  }
}
