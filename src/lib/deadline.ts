// Gives up waiting. Not by AbortSignal.timeout: that timer outlives the work, which keeps a Durable Object in memory.

/** A shared timer is set for no longer than this, and so outlives the last work by no more. */
const TICK_MS = 1_000

/** The work took longer than it may. */
export class DeadlinePassed extends Error {
  override name = 'DeadlinePassed'

  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`)
  }
}

/**
 * The work's result, or `DeadlinePassed` once it has taken longer than `timeoutMs`; the work itself goes on unheard.
 */
export type Deadline = <T>(timeoutMs: number, work: Promise<T>) => Promise<T>

/** With a timer of its own for each work: for a request, whose timers end with it. */
export const deadline: Deadline = async (timeoutMs, work) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlinePassed(timeoutMs)), timeoutMs)
  })
  try {
    return await Promise.race([work, over])
  } finally {
    if (timer !== undefined) clearTimeout(timer)
  }
}

interface Wait {
  readonly endsAtMs: number
  giveUp(): void
}

/**
 * With one timer for all works, which is never cleared: for a Durable Object. workerd forgets a cleared timer only
 * together with the object (`TimeoutManagerImpl` in its io-context.c++). So one for each delivery would fill the
 * isolate, by 256 bytes at a time.
 */
export function sharedDeadline(): Deadline {
  const waits = new Set<Wait>()
  let wakesAtMs = Number.POSITIVE_INFINITY

  function wakeAt(atMs: number): void {
    if (atMs >= wakesAtMs) return
    wakesAtMs = atMs
    setTimeout(() => wake(atMs), atMs - performance.now())
  }

  function wake(atMs: number): void {
    // An earlier one was set after this.
    if (atMs !== wakesAtMs) return
    const nowMs = performance.now()
    wakesAtMs = Number.POSITIVE_INFINITY
    let nextMs = nowMs + TICK_MS
    for (const wait of waits) {
      if (wait.endsAtMs <= nowMs) wait.giveUp()
      else nextMs = Math.min(nextMs, wait.endsAtMs)
    }
    if (waits.size > 0) wakeAt(nextMs)
  }

  return async (timeoutMs, work) => {
    const { promise: over, reject } = Promise.withResolvers<never>()
    const nowMs = performance.now()
    const wait: Wait = {
      endsAtMs: nowMs + timeoutMs,
      giveUp() {
        waits.delete(wait)
        reject(new DeadlinePassed(timeoutMs))
      },
    }
    waits.add(wait)
    wakeAt(Math.min(wait.endsAtMs, nowMs + TICK_MS))
    try {
      return await Promise.race([work, over])
    } finally {
      waits.delete(wait)
    }
  }
}
