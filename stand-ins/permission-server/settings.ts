// What the local permission server is told. As a process it reads its environment, here and nowhere else; tests hand
// over an object.

import { resolve } from 'node:path'

const MIN_SECRET_LENGTH = 16
const NAMESPACES_FILE = resolve(import.meta.dirname, '../../permissions/namespaces.ts')

export interface PermissionServerSettings {
  /** A database of its own; the tables are made at the start. */
  readonly databaseUrl: string
  /** 0 takes a free one. */
  readonly readPort: number
  readonly writePort: number
  readonly syntaxPort: number
  /** What a caller of `/admin/*` on the write port must bear; without it anybody on this machine may write. */
  readonly writeToken?: string | undefined
  /** The permission file; read again when it changed. */
  readonly namespacesFile: string
  /** How deep checks and trees look: Keto's `limit.max_read_depth`. */
  readonly depthMax: number
  /** Seals the tokens of pages: those in use are refused when it changes. */
  readonly pageTokenSecret: string
}

/**
 * The settings of the variables `PERMISSION_SERVER_*`; throws with the name of the one that is missing or
 * unreadable.
 */
export function readSettings(env: NodeJS.ProcessEnv): PermissionServerSettings {
  const optional = (name: string) => env[`PERMISSION_SERVER_${name}`]?.trim() || undefined
  const required = (name: string) => {
    const value = optional(name)
    if (value === undefined) throw new Error(`PERMISSION_SERVER_${name} is not set`)
    return value
  }
  return {
    databaseUrl: required('DATABASE_URL'),
    readPort: readPort('READ_PORT', required('READ_PORT')),
    writePort: readPort('WRITE_PORT', required('WRITE_PORT')),
    syntaxPort: readPort('SYNTAX_PORT', required('SYNTAX_PORT')),
    writeToken: optional('WRITE_TOKEN'),
    namespacesFile: optional('NAMESPACES_FILE') ?? NAMESPACES_FILE,
    depthMax: readDepth(optional('DEPTH_MAX')),
    pageTokenSecret: required('PAGE_TOKEN_SECRET'),
  }
}

/** Throws when the secret is too short to seal with. */
export function checkSecret({ pageTokenSecret }: PermissionServerSettings): void {
  if (pageTokenSecret.length < MIN_SECRET_LENGTH)
    throw new Error(`PERMISSION_SERVER_PAGE_TOKEN_SECRET needs at least ${MIN_SECRET_LENGTH} characters`)
}

/** As the Worker's `PERMISSION_DEPTH_MAX`. */
const DEPTH_DEFAULT = 10
/** As Keto's. */
const DEPTH_MAX = 65_535

function readDepth(text = String(DEPTH_DEFAULT)): number {
  const depth = Number(text)
  if (!Number.isInteger(depth) || depth < 1 || depth > DEPTH_MAX)
    throw new Error(`PERMISSION_SERVER_DEPTH_MAX is no number from 1 to ${DEPTH_MAX}: ${text}`)
  return depth
}

function readPort(name: string, text: string): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`PERMISSION_SERVER_${name} is no port: ${text}`)
  return port
}
