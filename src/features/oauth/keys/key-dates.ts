// The SQL on `quoin.oauth_signing_keys`: when a key was made, which the OAuth2 server does not know.

import type { PlatformDatabase } from '../../../db/database.ts'

/** What the statements here need of the platform's database. */
export interface KeyDatesDeps {
  platform: Pick<PlatformDatabase, 'query'>
}

export interface NewKeyDate {
  setId: string
  kid: string
  algorithm: string
  use: string
}

/** Notes that the key is made now, and answers the time. */
export async function insertKeyDate({ platform }: KeyDatesDeps, key: NewKeyDate): Promise<string> {
  const [row] = await platform.query<{ created_at: string }>(
    'insert into quoin.oauth_signing_keys (set_id, kid, algorithm, use) values ($1, $2, $3, $4) returning created_at',
    [key.setId, key.kid, key.algorithm, key.use],
  )
  if (row === undefined) throw new Error('an insert with returning answers its row')
  return isoTime(row.created_at)
}

/** The known times of a set's keys, by `kid`. */
export async function readKeyDates({ platform }: KeyDatesDeps, setId: string): Promise<Map<string, string>> {
  const rows = await platform.query<{ kid: string; created_at: string }>(
    'select kid, created_at from quoin.oauth_signing_keys where set_id = $1',
    [setId],
    'repeatable',
  )
  return new Map(rows.map(row => [row.kid, isoTime(row.created_at)]))
}

/** Forgets a key that is gone; nothing happens for one whose time was never known. */
export async function deleteKeyDate({ platform }: KeyDatesDeps, setId: string, kid: string): Promise<void> {
  await platform.query('delete from quoin.oauth_signing_keys where set_id = $1 and kid = $2 returning kid', [
    setId,
    kid,
  ])
}

function isoTime(text: string): string {
  return new Date(text).toISOString()
}
