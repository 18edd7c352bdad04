// Gives up waiting. Not by AbortSignal.timeout: that timer outlives the work, which keeps a Durable Object in memory.

/** The work's result, or a rejection once it has taken longer than `timeoutMs`; the work itself goes on unheard. */
export async function deadline<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    return await Promise.race([work, over])
  } finally {
    if (timer !== undefined) clearTimeout(timer)
  }
}
