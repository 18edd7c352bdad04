// Databases beside the one of DATABASE_URL: one to try a backup in, and branches.

import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { escapeLiteral } from 'pg'
import { quoteIdentifier } from '../../src/db/sql.ts'
import { StackError } from '../support/output.ts'
import { errorText } from '../support/wait.ts'
import type { Manifest } from './manifest.ts'
import { withBackupSession } from './session.ts'

/** The same connection string with another database. */
export function urlOfDatabase(url: string, name: string): string {
  const place = new URL(url)
  place.pathname = `/${encodeURIComponent(name)}`
  return place.href
}

export const scratchName = (): string => `quoin_verify_${randomBytes(6).toString('hex')}`

/** Makes an empty database with the encoding and locale of the backup's. Throws a `StackError` without the right. */
export async function createDatabase(url: string, name: string, { database }: Manifest): Promise<void> {
  const { encoding, lc_collate, lc_ctype, locale_provider, locale } = database
  const ofProvider =
    locale_provider === 'libc' ? '' : ` ${locale_provider}_locale ${escapeLiteral(locale ?? '')}`
  await withBackupSession(url, async client => {
    try {
      await client.query(
        `create database ${quoteIdentifier(name)} template template0 encoding ${escapeLiteral(encoding)}
         lc_collate ${escapeLiteral(lc_collate)} lc_ctype ${escapeLiteral(lc_ctype)}
         locale_provider ${locale_provider}${ofProvider}`,
      )
    } catch (err) {
      throw new StackError(
        `the database ${name} cannot be made beside this one: ${errorText(err)}. The role of DATABASE_URL needs ` +
          'CREATEDB, and the server the locale of the backup',
      )
    }
  })
}

/** Ends who is connected to it, and drops it; one that is not there is no error. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  await withBackupSession(url, client => dropBy(client, name))
}

async function dropBy(client: Client, name: string): Promise<void> {
  await client.query(`drop database if exists ${quoteIdentifier(name)} with (force)`)
}
