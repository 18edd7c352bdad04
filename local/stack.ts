// The order in which the parts of the stack start, and what each is told about the others. Every step waits until its
// part really answers.

import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runMigrations } from '../cli/migrations.ts'
import { type StackFacts, writeDevFile } from '../cli/support/dev-file.ts'
import { type Output, StackError } from '../cli/support/output.ts'
import { errorText } from '../cli/support/wait.ts'
import type { Children } from './children.ts'
import { fireCrons, readCrons } from './crons.ts'
import { startDashboard } from './dashboard.ts'
import { localDatabaseUrls, prepareDatabases, setAuthenticatorPassword } from './database.ts'
import { startGateway } from './gateway.ts'
import { greetingLines } from './greeting.ts'
import { startListener } from './listener.ts'
import type { OutsideDatabase, OutsideServer, PermissionServer, PortKey, StackOptions } from './options.ts'
import {
  type OutsideServerSettings,
  startIdentityServer,
  startOAuthServer,
  startPermissionServer,
} from './outside-servers.ts'
import { type People, seedPeople } from './people.ts'
import { choosePorts, LOOPBACK, readLastPorts, writeLastPorts } from './ports.ts'
import { initialisePostgres, startPostgres } from './postgres.ts'
import { locatePostgres, type PostgresFiles } from './postgres-files.ts'
import { loadSecrets, type Secrets } from './secrets.ts'
import { seedApiKeys, seedDemonstration, seedPermissions } from './seed.ts'
import { overruledVariables, startWorker, waitForWorker } from './worker.ts'

interface Context {
  readonly options: StackOptions
  readonly output: Output
  readonly children: Children
  readonly ports: Readonly<Record<PortKey, number>>
}

interface Database extends OutsideDatabase {
  /** Null for a database that is somewhere else. */
  readonly superuserUrl: string | null
  readonly socketDir: string | undefined
  /** Of the OAuth2 server, the local one or the outside one; null when it is not known. */
  readonly oauthDatabaseUrl: string | null
  /** Of the local identity provider; null when the database is somewhere else. */
  readonly identityDatabaseUrl: string | null
  /** Of the local permission server; null when the database is somewhere else. */
  readonly permissionDatabaseUrl: string | null
}

/** What the Worker stands on; undefined where there is none. */
interface Surroundings {
  readonly gatewayUrl: string | undefined
  readonly oauthServer: OutsideServer | undefined
  readonly identityServer: OutsideServer | undefined
  readonly permissionServer: PermissionServer | undefined
  readonly people: People | undefined
}

/** Starts everything; resolves when it answers, its facts are written and the user has been told. */
export async function startStack(options: StackOptions, output: Output, children: Children): Promise<void> {
  const leftovers = await children.endLeftovers()
  if (leftovers.length > 0)
    output.step(`ended what an earlier start had left behind: ${leftovers.join(', ')}`)
  const files = options.outsideDatabase === undefined ? locatePostgres(options.dataDir) : undefined
  const ports = await preparePorts(options, output)
  if (options.reset) reset(options.dataDir, files, output)
  const context: Context = { options, output, children, ports }

  let secrets = loadSecrets(options.dataDir)
  const database = withOAuthDatabase(
    options,
    files === undefined ? outsideDatabase(options) : await openPostgres(context, files, secrets),
  )
  const hasDemonstration = await fillDatabase(context, database, secrets)
  secrets = await seedApiKeys(database.databaseUrl, options.dataDir, secrets)
  output.progress('SQL gateway, OAuth2 server, identity provider, permission server')
  const [gatewayUrl, oauthServer, identity, permissionServer] = await Promise.all([
    openGateway(context, database),
    openOAuthServer(context, database, secrets),
    openIdentityServer(context, database, secrets),
    openPermissionServer(context, database, secrets),
  ])
  const surroundings = { gatewayUrl, oauthServer, ...identity, permissionServer }
  await fillPermissionServer(context, database, surroundings)
  const [facts] = await Promise.all([
    openWorker(context, database, surroundings, secrets),
    openDashboard(context, surroundings),
  ])
  void fireCrons(facts.base_url, readCrons(), children.stopped)
  writeDevFile(options.dataDir, facts)
  const seconds = output.elapsedSeconds()
  const { dataDir, resetCommand } = options
  for (const line of greetingLines({ facts, dataDir, resetCommand, hasDemonstration, seconds }))
    output.say(line)
}

/** Free ones are chosen once: the next start in this folder has them again, --reset or not. */
async function preparePorts(options: StackOptions, output: Output): Promise<Context['ports']> {
  const wanted = wantedPorts(options)
  const last = options.freePorts ? readLastPorts(options.dataDir) : {}
  const ports = await choosePorts(options, wanted, last, output.say)
  if (options.freePorts) {
    const chosen = Object.fromEntries(wanted.map(key => [key, ports[key]]))
    writeLastPorts(options.dataDir, { ...last, ...chosen })
  }
  return ports
}

function wantedPorts(options: StackOptions): PortKey[] {
  const wanted: PortKey[] = ['worker']
  if (options.outsideGatewayUrl === undefined) wanted.push('gateway')
  if (options.outsideDatabase === undefined) {
    wanted.push('postgres')
    if (options.outsideOAuthServer === undefined) wanted.push('oauthPublic', 'oauthAdmin')
    if (options.outsideIdentityServer === undefined) wanted.push('identityPublic', 'identityAdmin')
    if (options.outsidePermissionServer === undefined)
      wanted.push('permissionRead', 'permissionWrite', 'permissionSyntax')
  }
  // Nobody else's page may be at the address that the Worker trusts as the dashboard's.
  wanted.push('dashboard', 'listener')
  return wanted
}

/** Everything but the lock, which this process holds, and the ports. */
function reset(dataDir: string, files: PostgresFiles | undefined, output: Output): void {
  const kept = new Set(['lock', 'lock.owner', 'logs', 'ports.json'])
  for (const name of readdirSync(dataDir)) {
    if (!kept.has(name)) rmSync(join(dataDir, name), { recursive: true, force: true })
  }
  if (files !== undefined) rmSync(files.dataDir, { recursive: true, force: true })
  output.step('started over: local data deleted')
}

async function openPostgres({ output, children, ports }: Context, files: PostgresFiles, secrets: Secrets) {
  if (files.notice !== undefined) output.say(files.notice)
  output.progress('Postgres')
  const made = await initialisePostgres(files, secrets.superuser_password, children.stopped)
  const urls = localDatabaseUrls(secrets, ports.postgres)
  await startPostgres(children, files, ports.postgres, urls.superuserUrl)
  const version = await prepareDatabases(urls.superuserUrl, secrets)
  const data = made === 'made' ? 'new data' : 'with its data'
  output.step(`Postgres ${version} on ${LOOPBACK}:${ports.postgres} (${data})`)
  return { ...urls, socketDir: files.socketDir }
}

function outsideDatabase(options: StackOptions): Database {
  if (options.outsideDatabase === undefined) throw new Error('asked for only when there is one')
  return {
    ...options.outsideDatabase,
    superuserUrl: null,
    socketDir: undefined,
    oauthDatabaseUrl: null,
    identityDatabaseUrl: null,
    permissionDatabaseUrl: null,
  }
}

function withOAuthDatabase(options: StackOptions, database: Database): Database {
  if (options.outsideOAuthServer === undefined) return database
  return { ...database, oauthDatabaseUrl: options.outsideOAuthDatabaseUrl ?? null }
}

/**
 * Quoin's own migrations, and for the local Postgres a password and the demonstration; answers whether that is there.
 */
async function fillDatabase(
  { output, options }: Context,
  database: Database,
  secrets: Secrets,
): Promise<boolean> {
  const isLocal = database.superuserUrl !== null
  const applied = await migrate(database.databaseUrl)
  output.step(applied.length === 0 ? 'migrations: nothing to do' : `migrations: ${applied.join(', ')}`)
  if (!isLocal) return false
  await setAuthenticatorPassword(database.databaseUrl, secrets)
  if (await seedDemonstration(database.databaseUrl))
    output.step('seeded public.todos and public.todo_stats()')
  return options.outsideDatabase === undefined
}

async function migrate(databaseUrl: string): Promise<string[]> {
  const lines: string[] = []
  try {
    return await runMigrations(databaseUrl, 'up', ['platform'], line => lines.push(line))
  } catch (err) {
    if (err instanceof StackError) throw err
    throw new StackError(`migrations failed: ${errorText(err)}\n${lines.join('\n')}`)
  }
}

async function openGateway(context: Context, database: Database): Promise<string | undefined> {
  const { options, output, children, ports } = context
  if (options.outsideGatewayUrl !== undefined) return options.outsideGatewayUrl || undefined
  const { databaseUrl, dataDatabaseUrl, oauthDatabaseUrl, socketDir } = database
  const url = await startGateway(children, {
    port: ports.gateway,
    databases: [
      { url: databaseUrl, socketDir },
      { url: dataDatabaseUrl, socketDir },
      ...(oauthDatabaseUrl === null
        ? []
        : [{ url: oauthDatabaseUrl, socketDir: options.outsideOAuthServer ? undefined : socketDir }]),
    ],
  })
  output.step(`SQL gateway on ${url}`)
  return url
}

async function openOAuthServer(
  context: Context,
  { oauthDatabaseUrl }: Database,
  secrets: Secrets,
): Promise<OutsideServer | undefined> {
  const { options, output, children, ports } = context
  if (options.outsideOAuthServer !== undefined) return options.outsideOAuthServer
  if (oauthDatabaseUrl === null) return undefined
  const server = await startOAuthServer(children, {
    ...addressesOf(context),
    databaseUrl: oauthDatabaseUrl,
    publicPort: ports.oauthPublic,
    adminPort: ports.oauthAdmin,
    secrets,
  })
  output.step(`OAuth2 server on ${server.publicUrl}, admin API on ${server.adminUrl}`)
  return server
}

async function openIdentityServer(
  context: Context,
  { identityDatabaseUrl }: Database,
  secrets: Secrets,
): Promise<Pick<Surroundings, 'identityServer' | 'people'>> {
  const { options, output, children, ports } = context
  const outside = options.outsideIdentityServer
  if (outside !== undefined || identityDatabaseUrl === null)
    return { identityServer: outside, people: undefined }
  const identityServer = await startIdentityServer(children, {
    ...addressesOf(context),
    databaseUrl: identityDatabaseUrl,
    publicPort: ports.identityPublic,
    adminPort: ports.identityAdmin,
    secrets,
  })
  const people = await seedPeople(identityServer, secrets)
  output.step(`identity provider on ${identityServer.publicUrl}, admin API on ${identityServer.adminUrl}`)
  return { identityServer, people }
}

async function openPermissionServer(
  { options, output, children, ports }: Context,
  { permissionDatabaseUrl }: Database,
  secrets: Secrets,
): Promise<PermissionServer | undefined> {
  if (options.outsidePermissionServer !== undefined) return options.outsidePermissionServer
  if (permissionDatabaseUrl === null) return undefined
  const server = await startPermissionServer(children, {
    databaseUrl: permissionDatabaseUrl,
    readPort: ports.permissionRead,
    writePort: ports.permissionWrite,
    syntaxPort: ports.permissionSyntax,
    secrets,
  })
  output.step(`permission server on ${server.readUrl}, write API on ${server.writeUrl}`)
  return server
}

/** A server that is somewhere else is left as it is. */
async function fillPermissionServer(
  { options, output }: Context,
  { databaseUrl }: Database,
  { permissionServer, people }: Surroundings,
): Promise<void> {
  if (options.outsidePermissionServer !== undefined || permissionServer === undefined || people === undefined)
    return
  if (await seedPermissions(databaseUrl, permissionServer, people))
    output.step('seeded permissions of Organization:acme and Project:apollo')
}

function addressesOf({ ports }: Context): Pick<OutsideServerSettings, 'baseUrl' | 'dashboardUrl'> {
  return {
    baseUrl: `http://${LOOPBACK}:${ports.worker}`,
    dashboardUrl: `http://${LOOPBACK}:${ports.dashboard}`,
  }
}

/** Nobody could sign in at one without an identity provider. */
async function openDashboard(context: Context, { oauthServer, identityServer }: Surroundings): Promise<void> {
  const { options, output, children, ports } = context
  if (!options.dashboard || oauthServer === undefined || identityServer === undefined) return
  const url = await startDashboard(children, {
    dataDir: options.dataDir,
    port: ports.dashboard,
    apiUrl: addressesOf(context).baseUrl,
    oauthPublicUrl: oauthServer.publicUrl,
    identityPublicUrl: identityServer.publicUrl,
    watches: options.watches,
  })
  output.step(`dashboard on ${url}`)
}

async function openWorker(
  context: Context,
  database: Database,
  { gatewayUrl, oauthServer, identityServer, permissionServer, people }: Surroundings,
  secrets: Secrets,
): Promise<StackFacts> {
  const { options, output, children, ports } = context
  const { baseUrl, dashboardUrl } = addressesOf(context)
  output.progress('Worker (wrangler dev)')
  const variables = {
    BASE_URL: baseUrl,
    DATABASE_URL: database.databaseUrl,
    DATA_DATABASE_URL: database.dataDatabaseUrl,
    SQL_GATEWAY_URL: gatewayUrl ?? '',
    DASHBOARD_URL: dashboardUrl,
    INGEST_SECRET: secrets.ingest_secret,
    SECRETS_KEY: options.outsideSecretsKey ?? secrets.secrets_key,
    STORAGE_SIGNING_KEYS: secrets.storage_signing_key,
    ...(oauthServer && { OAUTH_PUBLIC_URL: oauthServer.publicUrl, OAUTH_ADMIN_URL: oauthServer.adminUrl }),
    ...(identityServer && {
      IDENTITY_PUBLIC_URL: identityServer.publicUrl,
      IDENTITY_ADMIN_URL: identityServer.adminUrl,
    }),
    ...(permissionServer && {
      PERMISSION_READ_URL: permissionServer.readUrl,
      PERMISSION_WRITE_URL: permissionServer.writeUrl,
      PERMISSION_ADMIN_TOKEN: permissionServer.adminToken ?? '',
    }),
    ...(database.oauthDatabaseUrl !== null && { OAUTH_DATABASE_URL: database.oauthDatabaseUrl }),
  }
  for (const name of overruledVariables(variables, process.env))
    output.say(`${name} is set and not used: the local stack decides it`)
  const settings = { dataDir: options.dataDir, port: ports.worker, variables, watches: options.watches }
  await startWorker(children, settings)
  await waitForWorker(children, baseUrl, secrets.service_role_key)
  output.step(`Worker on ${baseUrl}`)
  const listenerUrl = await startListener(children, {
    databaseUrl: database.databaseUrl,
    baseUrl,
    ingestSecret: secrets.ingest_secret,
    healthPort: ports.listener,
  })
  output.step(`listener on ${listenerUrl}`)
  return {
    base_url: baseUrl,
    anon_key: secrets.anon_key,
    service_role_key: secrets.service_role_key,
    database_url: database.databaseUrl,
    data_database_url: database.dataDatabaseUrl,
    sql_gateway_url: gatewayUrl ?? null,
    superuser_url: database.superuserUrl,
    postgres_port: database.superuserUrl === null ? null : ports.postgres,
    oauth_public_url: oauthServer?.publicUrl ?? null,
    oauth_admin_url: oauthServer?.adminUrl ?? null,
    oauth_database_url: database.oauthDatabaseUrl,
    identity_public_url: identityServer?.publicUrl ?? null,
    identity_admin_url: identityServer?.adminUrl ?? null,
    permission_read_url: permissionServer?.readUrl ?? null,
    permission_write_url: permissionServer?.writeUrl ?? null,
    permission_admin_token: permissionServer?.adminToken ?? null,
    permission_syntax_url: permissionServer?.syntaxUrl ?? null,
    dashboard_url: dashboardUrl,
    listener_health_url: listenerUrl,
    admin_identity_id: people?.admin.identityId ?? null,
    admin_email: people?.admin.email ?? null,
    admin_password: people?.admin.password ?? null,
    user_identity_id: people?.user.identityId ?? null,
    user_email: people?.user.email ?? null,
    user_password: people?.user.password ?? null,
    session_cookie_admin: people?.admin.sessionCookie ?? null,
    session_cookie_user: people?.user.sessionCookie ?? null,
    pids: { main: process.pid, ...children.groupIds },
  }
}
