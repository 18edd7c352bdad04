// Rows that are written at a steady rate, and when each was committed.

import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

const CONNECTIONS = 4

/** Runs an insert that returns `id` at a steady rate; answers by id the time of `performance.now()` at its answer. */
export async function writeSteadily(
  databaseUrl: string,
  text: string,
  { changesPerSecond, seconds }: { changesPerSecond: number; seconds: number },
): Promise<ReadonlyMap<number, number>> {
  const commits = new Map<number, number>()
  const write = async (client: pg.Client, first: number) => {
    const startsAtMs = performance.now()
    for (let number = first; number < changesPerSecond * seconds; number += CONNECTIONS) {
      const pauseMs = startsAtMs + (number * 1_000) / changesPerSecond - performance.now()
      if (pauseMs > 0) await delay(pauseMs)
      const { rows } = await client.query({ name: 'write', text })
      commits.set(Number(rows[0]?.id), performance.now())
    }
    await client.end()
  }
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => connect(databaseUrl)))
  await Promise.all(clients.map(write))
  return commits
}

export async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  return client
}
