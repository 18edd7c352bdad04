// Restores a backup into a database that is empty, in one transaction: all of it is there afterwards, or nothing.

import type { Client } from 'pg'
import { quoteIdentifier, quoteQualified } from '../../src/db/sql.ts'
import { StackError } from '../support/output.ts'
import { errorText } from '../support/wait.ts'
import { createDatabaseSql } from './databases.ts'
import { listObjects, readDatabase } from './facts.ts'
import { loadRows } from './load-rows.ts'
import { type Manifest, secretsKeyFingerprint, shownName } from './manifest.ts'
import { type Backup, refuseNewer } from './read-backup.ts'
import { makeOwnRoles, refuseMissingRoles } from './roles.ts'
import { runSchema } from './run-schema.ts'
import { oneRow, useBackupSettings, withBackupSession } from './session.ts'
import { settle } from './settle.ts'

export interface RestoreSettings {
  /** `copy`: the database of the backup goes on beside this one. `none`: nobody will work with this one. */
  readonly life: 'new' | 'copy' | 'none'
  /** Texts may be sorted and compared otherwise than in the backup's database. */
  readonly otherLocale?: boolean
  readonly env: NodeJS.ProcessEnv
  readonly log: (line: string) => void
}

const SHOWN_OBJECTS = 5
const PROGRESS_INTERVAL_MS = 2_000

/**
 * Restores the backup, whose files were compared when it was opened. Throws a `StackError` for a database that is not
 * empty, a backup that is newer than the server or this Quoin, and roles that are missing, before anything is written.
 */
export async function restoreBackup(url: string, backup: Backup, settings: RestoreSettings): Promise<void> {
  const { manifest, folder } = backup
  const { log } = settings
  await withBackupSession(url, async client => {
    await refuseUnfit(client, backup, settings.otherLocale === true)
    await client.query('begin')
    const made = await makeOwnRoles(client, manifest)
    if (made.length > 0) log(`roles made: ${made.join(', ')}`)
    log('schema')
    await useBackupSettings(client, manifest.search_path)
    await runSchema(client, folder, manifest.schema.pre_data, manifest.search_path, log)
    await loadRows(client, backup, progressOf(manifest, log))
    await setSequences(client, manifest)
    log('indexes, keys, triggers, policies')
    await runSchema(client, folder, manifest.schema.post_data, manifest.search_path, log)
    await useBackupSettings(client)
    if (settings.life !== 'none') await settle(client, manifest, settings.life === 'copy')
    await useDatabaseSettings(client, manifest, log)
    await client.query('analyze')
    await client.query('commit')
  })
  for (const line of adviceOf(manifest, settings.env)) log(line)
}

async function refuseUnfit(client: Client, backup: Backup, otherLocale: boolean): Promise<void> {
  const { version } = await oneRow<{ version: number }>(
    client,
    `select current_setting('server_version_num')::int as version`,
  )
  const here = await readDatabase(client)
  const { name } = here
  refuseNewer(backup, version)
  const found = await listObjects(client, SHOWN_OBJECTS + 1)
  if (found.length > 0) {
    const more = found.length > SHOWN_OBJECTS ? ', and more' : ''
    throw new StackError(
      `the database ${name} is not empty: it has ${found.slice(0, SHOWN_OBJECTS).join(', ')}${more}. ` +
        'A backup is restored into an empty database: make one, and name it in DATABASE_URL',
    )
  }
  refuseOtherLocale(here, backup, otherLocale)
  const { rows: missing } = await client.query<{ name: string }>(
    'select w.name from unnest($1::text[]) w (name) where w.name not in (select e.name from pg_available_extensions e)',
    [backup.manifest.extensions.map(({ name }) => name)],
  )
  if (missing.length > 0)
    throw new StackError(
      `this server lacks extensions of the backup: ${missing.map(({ name }) => name).join(', ')}. Install them there`,
    )
  await refuseMissingRoles(client, backup.manifest)
}

/** In another locale texts are sorted, compared and changed in case otherwise, and unique keys may not hold. */
function refuseOtherLocale(here: Manifest['database'], { manifest }: Backup, otherLocale: boolean): void {
  const localeOf = (it: Manifest['database']) =>
    `${it.locale_provider} ${it.locale ?? ''}, lc_collate ${it.lc_collate}, lc_ctype ${it.lc_ctype}`
  const [found, wanted] = [localeOf(here), localeOf(manifest.database)]
  const { encoding } = manifest.database
  if (here.encoding === encoding && (otherLocale || found === wanted)) return
  throw new StackError(
    `the database has ${here.encoding}, ${found}, and the backup ${encoding}, ${wanted}: make it anew with ` +
      `${createDatabaseSql(here.name, manifest)}; or, where the encoding is the same, restore with --other-locale`,
  )
}

/** At most a line in two seconds, and one at the end. */
function progressOf(
  { tables }: Manifest,
  log: (line: string) => void,
): (table: { row_count: number }) => void {
  const count = tables.filter(({ row_count }) => row_count > 0).length
  let [done, rowCount, saidAt] = [0, 0, performance.now()]
  return ({ row_count }) => {
    done += 1
    rowCount += row_count
    if (done < count && performance.now() - saidAt < PROGRESS_INTERVAL_MS) return
    saidAt = performance.now()
    log(`rows: ${done} of ${count} tables that have any, ${rowCount} rows`)
  }
}

async function setSequences(client: Client, { sequences }: Manifest): Promise<void> {
  for (const sequence of sequences) {
    try {
      await client.query('select setval($1::regclass, $2, $3)', [
        quoteQualified(sequence),
        sequence.last_value,
        sequence.is_called,
      ])
    } catch (err) {
      throw new StackError(`the sequence ${shownName(sequence)} cannot be set: ${errorText(err)}`)
    }
  }
}

/** Settings and rights of the database itself. What this role may not give is said, and does not end the restore. */
async function useDatabaseSettings(
  client: Client,
  manifest: Manifest,
  log: (line: string) => void,
): Promise<void> {
  const { settings, grants } = manifest.database
  const { name: current } = await oneRow<{ name: string }>(client, 'select current_database() as name')
  const name = quoteIdentifier(current)
  for (const setting of settings) {
    const problem = await tryHere(client, async () => {
      await client.query('select set_config($1, $2, true)', [setting.name, setting.value])
      await client.query(`alter database ${name} set ${quoteIdentifier(setting.name)} from current`)
    })
    if (problem !== undefined)
      log(`not set for the database, do it yourself: ${setting.name} = ${setting.value} (${problem})`)
  }
  await useBackupSettings(client)
  if (grants === null) return
  const statements = [
    `revoke all on database ${name} from public`,
    ...grants.map(({ grantee, privilege, is_grantable }) => {
      const to = grantee === null ? 'public' : quoteIdentifier(grantee)
      return `grant ${privilege} on database ${name} to ${to}${is_grantable ? ' with grant option' : ''}`
    }),
  ]
  for (const statement of statements) {
    const problem = await tryHere(client, () => client.query(statement))
    if (problem !== undefined) log(`not done, do it yourself: ${statement} (${problem})`)
  }
}

/** What went wrong; undefined where nothing did. */
async function tryHere(client: Client, work: () => Promise<unknown>): Promise<string | undefined> {
  await client.query('savepoint attempt')
  try {
    await work()
    await client.query('release savepoint attempt')
    return undefined
  } catch (err) {
    await client.query('rollback to savepoint attempt')
    return errorText(err)
  }
}

function adviceOf({ id, secrets_key }: Manifest, { SECRETS_KEY }: NodeJS.ProcessEnv): string[] {
  if (secrets_key === null || !SECRETS_KEY)
    return [
      'Secrets of webhooks can be read with the SECRETS_KEY of the backup alone. Whether it is the same here was not ' +
        `compared: SECRETS_KEY was not set ${secrets_key === null ? 'when the backup was made' : 'for this command'}.`,
    ]
  if (secretsKeyFingerprint(id, SECRETS_KEY) === secrets_key) return []
  return [
    'WARNING: SECRETS_KEY is another than when the backup was made: secrets and headers of webhooks cannot be read. ' +
      'Set the former key, or give each webhook a new secret.',
  ]
}
