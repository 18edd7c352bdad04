// The parts that a row change passes, each started by the local stack's own functions and each with a life of its own:
// what is killed here takes nothing else with it, and comes back with its data on its port.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { runMigrations } from '../../cli/migrations.ts'
import { waitUntil } from '../../cli/support/wait.ts'
import { Children } from '../../local/children.ts'
import { localDatabaseUrls, prepareDatabases, setAuthenticatorPassword } from '../../local/database.ts'
import { startGateway } from '../../local/gateway.ts'
import { startListener } from '../../local/listener.ts'
import { readOptions } from '../../local/options.ts'
import { choosePorts, LOOPBACK } from '../../local/ports.ts'
import { initialisePostgres, startPostgres } from '../../local/postgres.ts'
import { locatePostgres, removeSocketFolder } from '../../local/postgres-files.ts'
import { listProcesses } from '../../local/process-table.ts'
import { loadSecrets, type Secrets } from '../../local/secrets.ts'
import { seedApiKeys } from '../../local/seed.ts'
import { startWorker, waitForWorker } from '../../local/worker.ts'

const END_DEADLINE_MS = 10_000

export type PartName = 'postgres' | 'gateway' | 'worker' | 'listener'

/** A part that can be killed and started again. */
export class Part {
  readonly #name: PartName
  readonly #dataDir: string
  readonly #launch: (children: Children) => Promise<unknown>
  #children: Children | undefined

  constructor(name: PartName, dataDir: string, launch: (children: Children) => Promise<unknown>) {
    this.#name = name
    this.#dataDir = dataDir
    this.#launch = launch
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    this.#children = new Children(this.#dataDir, new AbortController())
    await this.#launch(this.#children)
  }

  /** Ends it and all that it started without a word; resolves when nothing of it runs. */
  async kill(signal: 'SIGKILL' | 'SIGQUIT' = 'SIGKILL'): Promise<void> {
    const groupId = this.#groupId()
    // Postgres' immediate stop is a matter of its first process; its backends are told by that.
    process.kill(signal === 'SIGKILL' ? -groupId : groupId, signal)
    await waitUntil(
      { what: `${this.#name} is gone`, deadlineMs: END_DEADLINE_MS, intervalMs: 10 },
      async () => (listProcesses().some(entry => entry.groupId === groupId) ? undefined : true),
    )
    this.#children = undefined
  }

  /** Ends it in order. */
  async end(): Promise<void> {
    await this.#children?.endAll()
    this.#children = undefined
  }

  #groupId(): number {
    const groupId = this.#children?.groupIds[this.#name]
    if (groupId === undefined) throw new Error(`${this.#name} does not run`)
    return groupId
  }
}

export interface Parts extends AsyncDisposable {
  readonly baseUrl: string
  readonly databaseUrl: string
  readonly postgres: Part
  readonly gateway: Part
  readonly worker: Part
  readonly listener: Part
}

/** Starts Postgres, the SQL gateway, the Worker (`more` are its variables) and the listener, on ports of their own. */
export async function startParts(
  dataDir: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Parts> {
  mkdirSync(join(dataDir, 'logs'), { recursive: true, mode: 0o755 })
  const options = readOptions(['--free-ports', '--data-dir', dataDir], {})
  if (options === undefined) throw new Error('only --help makes no options')
  const ports = await choosePorts(options, ['postgres', 'gateway', 'worker', 'listener'], {}, () => {})
  const files = locatePostgres(dataDir)
  let secrets = loadSecrets(dataDir)
  const { databaseUrl, dataDatabaseUrl, superuserUrl } = localDatabaseUrls(secrets, ports.postgres)
  const baseUrl = `http://${LOOPBACK}:${ports.worker}`
  const gatewayUrl = `http://${LOOPBACK}:${ports.gateway}`

  const postgres = new Part('postgres', dataDir, children =>
    startPostgres(children, files, ports.postgres, superuserUrl),
  )
  const gateway = new Part('gateway', dataDir, children =>
    startGateway(children, {
      port: ports.gateway,
      databases: [databaseUrl, dataDatabaseUrl].map(url => ({ url, socketDir: files.socketDir })),
    }),
  )
  const worker = new Part('worker', dataDir, async children => {
    const variables = {
      BASE_URL: baseUrl,
      DATABASE_URL: databaseUrl,
      DATA_DATABASE_URL: dataDatabaseUrl,
      SQL_GATEWAY_URL: gatewayUrl,
      INGEST_SECRET: secrets.ingest_secret,
      SECRETS_KEY: secrets.secrets_key,
      STORAGE_SIGNING_KEYS: secrets.storage_signing_key,
      ALLOW_PRIVATE_WEBHOOK_TARGETS: 'true',
      ...more,
    }
    await startWorker(children, { dataDir, port: ports.worker, variables })
    await waitForWorker(children, baseUrl, secrets.service_role_key)
  })
  const listener = new Part('listener', dataDir, children =>
    startListener(children, {
      databaseUrl,
      baseUrl,
      ingestSecret: secrets.ingest_secret,
      healthPort: ports.listener,
    }),
  )

  const end = async () => {
    for (const part of [listener, worker, gateway, postgres]) await part.end()
    removeSocketFolder(dataDir)
  }
  try {
    await initialisePostgres(files, secrets.superuser_password, new AbortController().signal)
    await postgres.start()
    secrets = await fillDatabase(dataDir, { superuserUrl, databaseUrl }, secrets)
    for (const part of [gateway, worker, listener]) await part.start()
  } catch (err) {
    await end()
    throw err
  }
  return { baseUrl, databaseUrl, postgres, gateway, worker, listener, [Symbol.asyncDispose]: end }
}

/** Roles, tables and keys; answers the secrets with the keys among them. */
async function fillDatabase(
  dataDir: string,
  { superuserUrl, databaseUrl }: { superuserUrl: string; databaseUrl: string },
  secrets: Secrets,
): Promise<Secrets> {
  await prepareDatabases(superuserUrl, secrets)
  await runMigrations(databaseUrl, 'up', ['platform'], () => {})
  await setAuthenticatorPassword(databaseUrl, secrets)
  return await seedApiKeys(databaseUrl, dataDir, secrets)
}
