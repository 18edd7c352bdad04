// Databases beside the one of DATABASE_URL: one to try a backup in, and branches.

import { randomBytes } from 'node:crypto'
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

/** SQL that makes an empty database with the encoding and locale of the backup's. */
export function createDatabaseSql(name: string, { database }: Manifest): string {
  const { encoding, lc_collate, lc_ctype, locale_provider, locale } = database
  const ofProvider =
    locale_provider === 'libc' ? '' : ` ${locale_provider}_locale ${escapeLiteral(locale ?? '')}`
  return (
    `create database ${quoteIdentifier(name)} template template0 encoding ${escapeLiteral(encoding)} ` +
    `lc_collate ${escapeLiteral(lc_collate)} lc_ctype ${escapeLiteral(lc_ctype)} ` +
    `locale_provider ${locale_provider}${ofProvider}`
  )
}

/** Makes an empty database with the encoding and locale of the backup's. Throws a `StackError` without the right. */
export async function createDatabase(url: string, name: string, manifest: Manifest): Promise<void> {
  await withBackupSession(url, async client => {
    try {
      await client.query(createDatabaseSql(name, manifest))
    } catch (err) {
      throw new StackError(
        `the database ${name} cannot be made beside this one: ${errorText(err)}. The role of DATABASE_URL needs ` +
          'CREATEDB, and the server the locale of the backup',
      )
    }
  })
}

const DROP_TRIES_MAX = 10
const OBJECT_IN_USE = '55006'
const INSUFFICIENT_PRIVILEGE = '42501'

/**
 * Drops a database, and ends who is still connected; one that is not there is no error. Without force Postgres ends its
 * own vacuum there, which an owner may not do by force: so both are tried in turns.
 */
export async function dropDatabase(url: string, name: string): Promise<void> {
  const drop = `drop database if exists ${quoteIdentifier(name)}`
  await withBackupSession(url, async client => {
    for (let tries = 1; ; tries++) {
      try {
        await client.query(tries % 2 === 1 ? drop : `${drop} with (force)`)
        return
      } catch (err) {
        const { code } = err as { code?: string }
        if (code !== OBJECT_IN_USE && code !== INSUFFICIENT_PRIVILEGE) throw err
        if (tries === DROP_TRIES_MAX) throw new StackError(`${errorText(err)}: drop it yourself, ${drop}`)
      }
    }
  })
}

/** Drops what runs that were cut off have left; one that somebody is connected to is another run's. */
export async function dropLeftScratch(url: string): Promise<void> {
  await withBackupSession(url, async client => {
    const { rows } = await client.query<{ name: string }>(
      `select datname as name from pg_database
       where datname ~ '^quoin_verify_[0-9a-f]{12}$' and pg_has_role(datdba, 'usage')`,
    )
    for (const { name } of rows) {
      try {
        await client.query(`drop database if exists ${quoteIdentifier(name)}`)
      } catch (err) {
        if ((err as { code?: string }).code !== OBJECT_IN_USE) throw err
      }
    }
  })
}
