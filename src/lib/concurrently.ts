// Work on many things, a few at a time.

/** Handles each item, at most `most` at a time. Throws what `handle` throws first; no further item is begun then. */
export async function concurrently<Item>(
  items: readonly Item[],
  most: number,
  handle: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values()
  let hasFailed = false
  const work = async () => {
    for (const item of rest) {
      if (hasFailed) return
      await handle(item).catch(err => {
        hasFailed = true
        throw err
      })
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work))
}
