// Waiting for a server to answer, with a deadline.

import { setTimeout as delay } from 'node:timers/promises'

const TIMEOUT_MS = 20_000

/** Resolves when the URL answers with any status below 500; throws after 20 s, naming the URL. */
export async function waitUntilAnswers(url: string): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS
  while (Date.now() < deadline) {
    const status = await fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
      response => response.status,
      () => 599,
    )
    if (status < 500) return
    await delay(50)
  }
  throw new Error(`${url} does not answer`)
}
