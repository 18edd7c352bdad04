// What the user asked of the local stack: flags, and one variable per port and per outside system. Read once.

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { StackError } from '../cli/support/output.ts'

/** A local server with a port: its default, and the variable that changes it. */
export interface PortName {
  readonly what: string
  readonly variable: string
  readonly byDefault: number
}

export const PORTS = {
  worker: { what: 'the Worker', variable: 'QUOIN_PORT', byDefault: 8787 },
  gateway: { what: 'the SQL gateway', variable: 'QUOIN_GATEWAY_PORT', byDefault: 4488 },
  oauthPublic: { what: 'the OAuth2 server', variable: 'QUOIN_OAUTH_PUBLIC_PORT', byDefault: 4444 },
  oauthAdmin: {
    what: "the OAuth2 server's admin API",
    variable: 'QUOIN_OAUTH_ADMIN_PORT',
    byDefault: 4445,
  },
  identityPublic: {
    what: 'the identity provider',
    variable: 'QUOIN_IDENTITY_PUBLIC_PORT',
    byDefault: 4433,
  },
  identityAdmin: {
    what: "the identity provider's admin API",
    variable: 'QUOIN_IDENTITY_ADMIN_PORT',
    byDefault: 4434,
  },
  permissionRead: { what: 'the permission server', variable: 'QUOIN_PERMISSION_READ_PORT', byDefault: 4466 },
  permissionWrite: {
    what: "the permission server's write API",
    variable: 'QUOIN_PERMISSION_WRITE_PORT',
    byDefault: 4467,
  },
  permissionSyntax: {
    what: "the permission server's syntax check",
    variable: 'QUOIN_PERMISSION_SYNTAX_PORT',
    byDefault: 4469,
  },
  dashboard: { what: 'the dashboard', variable: 'QUOIN_DASHBOARD_PORT', byDefault: 5173 },
  listener: { what: "the listener's health page", variable: 'QUOIN_LISTENER_PORT', byDefault: 4490 },
  postgres: { what: 'Postgres', variable: 'QUOIN_POSTGRES_PORT', byDefault: 54329 },
} as const satisfies Record<string, PortName>

export type PortKey = keyof typeof PORTS

/** A database that is somewhere else: then no local Postgres is started, and nothing is seeded but two API keys. */
export interface OutsideDatabase {
  readonly databaseUrl: string
  readonly dataDatabaseUrl: string
}

/** An outside system with a public and an admin address, of which the stack starts none. */
export interface OutsideServer {
  readonly publicUrl: string
  readonly adminUrl: string
}

/** The permission server, of the stack or somewhere else. */
export interface PermissionServer {
  readonly readUrl: string
  readonly writeUrl: string
  /** The bearer token of its write API; undefined where it asks for none. */
  readonly adminToken: string | undefined
  /** Undefined for a server that is somewhere else: the Worker has no use for it. */
  readonly syntaxUrl: string | undefined
}

export interface StackOptions {
  readonly dataDir: string
  /** The command that starts this stack over, as a line for sh. */
  readonly resetCommand: string
  readonly reset: boolean
  readonly quiet: boolean
  readonly freePorts: boolean
  /** True: an edit is there about a second later. */
  readonly watches: boolean
  readonly dashboard: boolean
  readonly ports: Readonly<Record<PortKey, number>>
  readonly outsideDatabase: OutsideDatabase | undefined
  /** What secrets in that database are encrypted with; the stack's own key where it is not said. */
  readonly outsideSecretsKey: string | undefined
  /** Set, even to nothing, when no local gateway is wanted; nothing means that the database is on Neon. */
  readonly outsideGatewayUrl: string | undefined
  readonly outsideOAuthServer: OutsideServer | undefined
  /** Of that server; its flush endpoint of old is tried where it is not said. */
  readonly outsideOAuthDatabaseUrl: string | undefined
  readonly outsideIdentityServer: OutsideServer | undefined
  readonly outsidePermissionServer: PermissionServer | undefined
}

export const USAGE = `npm run dev -- [options]
  --reset          start over: deletes the local data first
  --port N         port of the Worker (default 8787, or QUOIN_PORT)
  --free-ports     take any free ports, the same at each start
  --no-watch       take up no edits; the dashboard is built as for production
  --no-dashboard   do not start the dashboard
  --data-dir DIR   keep the data there instead of in .quoin
  --quiet          print problems only
Variables: ${Object.values(PORTS)
  .map(port => port.variable)
  .join(', ')};
DATABASE_URL and DATA_DATABASE_URL (and SQL_GATEWAY_URL, empty for Neon; SECRETS_KEY, what its secrets are encrypted
with) for a Postgres that runs elsewhere;
OAUTH_PUBLIC_URL and OAUTH_ADMIN_URL (and OAUTH_DATABASE_URL), IDENTITY_PUBLIC_URL and IDENTITY_ADMIN_URL,
PERMISSION_READ_URL and PERMISSION_WRITE_URL (and PERMISSION_ADMIN_TOKEN) for servers that run elsewhere;
every other variable of the Worker (README), but for those that the stack decides by itself; a start says so.`

/** Reads flags and variables; throws `StackError` for what is wrong, and answers undefined when help was asked for. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): StackOptions | undefined {
  const flags = parseFlags(args)
  if (flags.help) return undefined
  refuseChosenPorts(flags, env)
  return {
    dataDir: resolve(flags['data-dir'] ?? '.quoin'),
    resetCommand: resetCommand(flags),
    reset: flags.reset,
    quiet: flags.quiet,
    freePorts: flags['free-ports'],
    watches: !flags['no-watch'],
    dashboard: !flags['no-dashboard'],
    ports: readPorts(flags.port, env),
    outsideDatabase: readOutsideDatabase(env),
    outsideSecretsKey: env.DATABASE_URL ? env.SECRETS_KEY || undefined : undefined,
    outsideGatewayUrl: env.SQL_GATEWAY_URL,
    outsideOAuthServer: readOutsideServer('OAUTH', env),
    outsideOAuthDatabaseUrl: env.OAUTH_DATABASE_URL || undefined,
    outsideIdentityServer: readOutsideServer('IDENTITY', env),
    outsidePermissionServer: readOutsidePermissionServer(env),
  }
}

function refuseChosenPorts(flags: Flags, env: NodeJS.ProcessEnv): void {
  if (!flags['free-ports']) return
  const variable = Object.values(PORTS).find(port => env[port.variable])?.variable
  const chosen = flags.port === undefined ? variable : '--port'
  if (chosen !== undefined)
    throw new StackError(`${chosen} and --free-ports contradict each other: give one of them`)
}

/** With the flags of this start: without them it would be about another stack. */
function resetCommand({ reset: _, quiet, help, ...flags }: Flags): string {
  const words = Object.entries(flags).flatMap(([name, value]) => {
    if (value === false || value === undefined) return []
    return value === true
      ? [`--${name}`]
      : [`--${name}`, shellWord(name === 'data-dir' ? resolve(value) : value)]
  })
  return ['npm run dev -- --reset', ...words].join(' ')
}

/** As it is where sh leaves it so, else in single quotes. */
function shellWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

type Flags = ReturnType<typeof parseFlags>

function readPorts(flag: string | undefined, env: NodeJS.ProcessEnv): Record<PortKey, number> {
  const keys = Object.keys(PORTS) as PortKey[]
  const ports = Object.fromEntries(keys.map(key => [key, readVariable(key, env)])) as Record<PortKey, number>
  return { ...ports, worker: readPort('--port', flag) ?? ports.worker }
}

function parseFlags(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        reset: { type: 'boolean', default: false },
        quiet: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false, short: 'h' },
        'free-ports': { type: 'boolean', default: false },
        'no-watch': { type: 'boolean', default: false },
        'no-dashboard': { type: 'boolean', default: false },
        port: { type: 'string' },
        'data-dir': { type: 'string' },
      },
    })
    return values
  } catch (err) {
    const message = err instanceof Error ? err.message.split('. ')[0] : String(err)
    throw new StackError(`${message}; \`npm run dev -- --help\` lists the options`)
  }
}

function readVariable(key: PortKey, env: NodeJS.ProcessEnv): number {
  return readPort(PORTS[key].variable, env[PORTS[key].variable]) ?? PORTS[key].byDefault
}

function readPort(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const port = Number(text)
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port
  throw new StackError(`${name} must be a port from 1 to 65535, not "${text}"`)
}

function readOutsideDatabase(env: NodeJS.ProcessEnv): OutsideDatabase | undefined {
  const { DATABASE_URL: databaseUrl, DATA_DATABASE_URL: dataDatabaseUrl } = env
  if (databaseUrl && dataDatabaseUrl) return { databaseUrl, dataDatabaseUrl }
  if (databaseUrl || dataDatabaseUrl || env.SQL_GATEWAY_URL) {
    throw new StackError(
      'set DATABASE_URL (the owner) and DATA_DATABASE_URL (the role authenticator) together to use a ' +
        'Postgres that runs elsewhere, or neither',
    )
  }
  return undefined
}

function readOutsideServer(prefix: 'OAUTH' | 'IDENTITY', env: NodeJS.ProcessEnv): OutsideServer | undefined {
  const urls = readAddresses(`${prefix}_PUBLIC_URL`, `${prefix}_ADMIN_URL`, env)
  return urls && { publicUrl: urls[0], adminUrl: urls[1] }
}

function readOutsidePermissionServer(env: NodeJS.ProcessEnv): PermissionServer | undefined {
  const urls = readAddresses('PERMISSION_READ_URL', 'PERMISSION_WRITE_URL', env)
  const adminToken = env.PERMISSION_ADMIN_TOKEN || undefined
  return urls && { readUrl: urls[0], writeUrl: urls[1], adminToken, syntaxUrl: undefined }
}

/** Both addresses or neither: half of an outside system would leave the other half to a local one. */
function readAddresses(first: string, second: string, env: NodeJS.ProcessEnv): [string, string] | undefined {
  const [firstUrl, secondUrl] = [env[first], env[second]]
  if (firstUrl && secondUrl) return [firstUrl, secondUrl]
  if (firstUrl || secondUrl)
    throw new StackError(
      `set ${first} and ${second} together to use a server that runs elsewhere, or neither`,
    )
  return undefined
}
