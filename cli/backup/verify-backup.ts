// Proves a backup: restores it into a scratch database, reads everything there again, and compares.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import * as z from 'zod'
import { StackError } from '../support/output.ts'
import type { Service } from '../support/service.ts'
import { type CheckedFiles, checkFiles, tryService } from './check-files.ts'
import { createDatabase, dropDatabase, dropLeftScratch, scratchName, urlOfDatabase } from './databases.ts'
import { copyOutSql, readSequences, readTables } from './facts.ts'
import { type Manifest, shownName } from './manifest.ts'
import { compareObjects, ObjectFact, readObjects } from './objects.ts'
import type { Backup } from './read-backup.ts'
import { hasRecords, recordVerification } from './records.ts'
import { restoreBackup } from './restore-backup.ts'
import { measureCopy } from './rows.ts'
import { readOnlyStored, withBackupSession } from './session.ts'
import { settle } from './settle.ts'
import { unlessStopped } from './unless-stopped.ts'

export interface VerifySettings {
  readonly env: NodeJS.ProcessEnv
  readonly log: (line: string) => void
  /** Aborted: the scratch database is dropped at once. */
  readonly stopped?: AbortSignal
  /** Asked for files; undefined: nobody is, and their number is said. */
  readonly service?: Service | undefined
}

const SHOWN_MAX = 10

/**
 * Restores the backup beside the database of `url`, compares rows, sequences and objects, and looks for some of its
 * files; writes `verified_at` into its row. Throws a `StackError` that says what differs. The scratch database is
 * dropped in any case.
 */
export async function verifyBackup(
  url: string,
  backup: Backup,
  settings: VerifySettings,
): Promise<CheckedFiles> {
  if (settings.service !== undefined && backup.manifest.storage?.objects) await tryService(settings.service)
  await dropLeftScratch(url)
  const name = scratchName()
  let files: CheckedFiles
  try {
    files = await unlessStopped(settings.stopped, verifyIn(url, name, backup, settings))
  } finally {
    await dropDatabase(url, name)
  }
  await withBackupSession(url, async client => {
    if (await hasRecords(client)) await recordVerification(client, backup.manifest.id)
  })
  return files
}

async function verifyIn(
  url: string,
  name: string,
  backup: Backup,
  { env, log, service }: VerifySettings,
): Promise<CheckedFiles> {
  await createDatabase(url, name, backup.manifest)
  const scratchUrl = urlOfDatabase(url, name)
  // Open throughout: a database that nobody is connected to was left by a run that was cut off.
  return withBackupSession(scratchUrl, async client => {
    await readOnlyStored(client)
    await restoreBackup(scratchUrl, backup, { life: 'none', env, log })
    log('comparing')
    refuseDifferences(backup, [
      ...(await compareRows(client, backup.manifest)),
      ...(await compareCatalog(client, backup)),
      ...(await settleAndLook(scratchUrl, backup.manifest)),
    ])
    return await checkFiles(client, url, service)
  })
}

function refuseDifferences({ folder }: Backup, differences: readonly string[]): void {
  if (differences.length === 0) return
  const more = differences.length > SHOWN_MAX ? `\n  and ${differences.length - SHOWN_MAX} more` : ''
  throw new StackError(
    `the backup ${folder} can be restored, but the result is not what was saved:\n  ` +
      differences.slice(0, SHOWN_MAX).join('\n  ') +
      more,
  )
}

async function compareRows(client: Client, { tables, sequences }: Manifest): Promise<string[]> {
  const differences: string[] = []
  const here = new Map((await readTables(client)).map(table => [shownName(table), table]))
  for (const table of tables) {
    const found = here.get(shownName(table))
    if (found === undefined) {
      differences.push(`the table ${shownName(table)} is missing`)
      continue
    }
    if (!hasSame(found.columns, table.columns)) {
      differences.push(`${shownName(table)} has other columns`)
      continue
    }
    // A child's columns may stand in another order here.
    const { rowCount, plain } = await measureCopy(client, copyOutSql({ ...found, columns: table.columns }))
    if (rowCount !== table.row_count)
      differences.push(`${shownName(table)} has ${rowCount} rows in place of ${table.row_count}`)
    else if (plain.sha256 !== table.sha256)
      differences.push(`${shownName(table)} has other content in its ${rowCount} rows`)
  }
  const wanted = new Map(sequences.map(it => [shownName(it), it]))
  for (const sequence of await readSequences(client)) {
    const { last_value, is_called } = wanted.get(shownName(sequence)) ?? {}
    if (last_value !== sequence.last_value || is_called !== sequence.is_called)
      differences.push(`the sequence ${shownName(sequence)} stands at another place`)
    wanted.delete(shownName(sequence))
  }
  return [...differences, ...[...wanted.keys()].map(name => `the sequence ${name} is missing`)]
}

function hasSame(names: readonly string[], others: readonly string[]): boolean {
  return names.length === others.length && names.every(name => others.includes(name))
}

/** Read once more by the same query, which knows nothing of pg_dump. */
async function compareCatalog(client: Client, { folder, manifest }: Backup): Promise<string[]> {
  const saved = z
    .array(ObjectFact)
    .parse(JSON.parse(readFileSync(join(folder, manifest.objects.file), 'utf8')))
  return compareObjects(saved, await readObjects(client))
}

/** What a restore does at its end works here too: each watched table records its changes. */
async function settleAndLook(url: string, manifest: Manifest): Promise<string[]> {
  if (manifest.owner === null) return []
  return withBackupSession(url, async client => {
    await client.query('begin')
    await settle(client, manifest, true)
    await client.query('commit')
    const { rows } = await client.query<{ table_name: string; missing: string }>(
      'select table_name, missing from quoin.recording_failures($1)',
      [SHOWN_MAX],
    )
    return rows.map(
      ({ table_name, missing }) => `changes of ${table_name} are not recorded: ${missing} is missing`,
    )
  })
}
