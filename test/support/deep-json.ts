// JSON that Postgres takes and cannot take apart again: reading it needs more of its stack than taking it did.

import type { Client } from 'pg'

/** The most deeply nested array that this Postgres takes as a parameter; a level more it refuses. */
export async function deepestJson(client: Pick<Client, 'query'>): Promise<string> {
  let [taken, refused] = [1, 2]
  while (await isTaken(client, refused)) [taken, refused] = [refused, 2 * refused]
  while (refused - taken > 1) {
    const depth = Math.floor((taken + refused) / 2)
    if (await isTaken(client, depth)) taken = depth
    else refused = depth
  }
  return nested(taken)
}

async function isTaken(client: Pick<Client, 'query'>, depth: number): Promise<boolean> {
  try {
    await client.query('select $1::json is null', [nested(depth)])
    return true
  } catch (err) {
    // 54001: stack depth limit exceeded.
    if (err instanceof Error && 'code' in err && err.code === '54001') return false
    throw err
  }
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}
