// Postgres for tests, found and started as the local stack does it: on a copy of a cluster that a run initialises once.
// It does not sync to disk: only a crash of the whole machine could lose what it holds.

import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { initialisePostgres } from '../../local/postgres.ts'
import { locatePostgres, removeSocketFolder } from '../../local/postgres-files.ts'
import { loadSecrets } from '../../local/secrets.ts'

/** Makes the folder of a stack to be: the cluster is there, and the secrets with the superuser's password. */
export async function makeWithCluster(dataDir: string): Promise<void> {
  const original = await initialisedFolder()
  // With their owner: as root, Postgres is run by another user.
  execFileSync('cp', ['-Rp', original, dataDir])
}

/** Made by whoever needs it first in a run; of two that are as quick, one is thrown away. */
async function initialisedFolder(): Promise<string> {
  const folder = join(tmpdir(), 'initialised')
  if (existsSync(folder)) return folder
  const mine = join(tmpdir(), randomUUID())
  mkdirSync(mine, { mode: 0o755 })
  const files = locatePostgres(mine)
  await initialisePostgres(files, loadSecrets(mine).superuser_password, new AbortController().signal)
  appendFileSync(join(files.dataDir, 'postgresql.conf'), 'fsync = off\n')
  removeSocketFolder(mine)
  try {
    renameSync(mine, folder)
  } catch (err) {
    if (!existsSync(folder)) throw err
    rmSync(mine, { recursive: true })
  }
  return folder
}
