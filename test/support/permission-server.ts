// The permission server that the contract tests of the Keto wire ask. It is our own, on a fresh database of the
// stack's Postgres, or a real one. The addresses of a real one are in PERMISSION_READ_URL,
// PERMISSION_WRITE_URL and PERMISSION_SYNTAX_URL. It has the namespaces of permissions/namespaces.ts.

import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { PROJECT_DIR } from '../../cli/support/project.ts'
import { startPermissionServer } from '../../stand-ins/permission-server/server.ts'
import type { PermissionServerSettings } from '../../stand-ins/permission-server/settings.ts'
import { makeDatabase } from './postgres.ts'

export interface Permissions extends AsyncDisposable {
  readonly readUrl: string
  readonly writeUrl: string
  readonly syntaxUrl: string
}

/** The server to test: the local one unless the environment names another. Throws when it names a part of one. */
export async function openPermissions(): Promise<Permissions> {
  const {
    PERMISSION_READ_URL: readUrl,
    PERMISSION_WRITE_URL: writeUrl,
    PERMISSION_SYNTAX_URL: syntaxUrl,
  } = process.env
  const given = [readUrl, writeUrl, syntaxUrl].filter(url => url !== undefined)
  if (given.length === 0) return openLocalPermissions()
  if (readUrl === undefined || writeUrl === undefined || syntaxUrl === undefined)
    throw new Error(`of the three addresses of the permission server only ${given.join(', ')} is set`)
  return { readUrl, writeUrl, syntaxUrl, [Symbol.asyncDispose]: async () => {} }
}

export interface LocalPermissions extends Permissions {
  readonly settings: PermissionServerSettings
  /** Ends the server and starts it again on the same database, on other ports. */
  restart(more?: Partial<PermissionServerSettings>): Promise<Permissions>
}

/** Our own server on a database of its own, which goes with it. */
export async function openLocalPermissions(
  more: Partial<PermissionServerSettings> = {},
): Promise<LocalPermissions> {
  const database = await makeDatabase('permission')
  const settings: PermissionServerSettings = {
    databaseUrl: database.url,
    readPort: 0,
    writePort: 0,
    syntaxPort: 0,
    namespacesFile: join(PROJECT_DIR, 'permissions', 'namespaces.ts'),
    // Keto's default, for the same cases run against one.
    depthMax: 5,
    pageTokenSecret: randomBytes(24).toString('hex'),
    ...more,
  }
  let server = await startPermissionServer(settings).catch(async (err: unknown) => {
    await database.drop()
    throw err
  })
  const dispose = async () => {
    await server.close()
    await database.drop()
  }
  const addresses = () => {
    const { readUrl, writeUrl, syntaxUrl } = server
    return { readUrl, writeUrl, syntaxUrl, [Symbol.asyncDispose]: dispose }
  }
  const restart = async (changed: Partial<PermissionServerSettings> = {}) => {
    await server.close()
    server = await startPermissionServer({ ...settings, ...changed })
    return addresses()
  }
  return { ...addresses(), settings, restart }
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the tests are what says which shape the JSON has.
  readonly body: any
  readonly text: string
}

interface Request {
  readonly method?: string
  readonly json?: unknown
  readonly raw?: string
  readonly headers?: Record<string, string>
}

/** GET unless there is a body; follows no redirect. A body that is no JSON is undefined. */
export async function ask(url: string, { method, json, raw, headers }: Request = {}): Promise<Answer> {
  const body = json === undefined ? raw : JSON.stringify(json)
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    redirect: 'manual',
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: parse(text), text }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export interface WireTuple {
  namespace: string
  object: string
  relation: string
  subject_id?: string
  subject_set?: { namespace: string; object: string; relation: string }
}

/** `Project:p#owner@alice`, and with a subject set `Project:p#owner@(Organization:o#admin)`. Throws on another line. */
export function tuple(line: string): WireTuple {
  const match = /^(\w*):([^#]*)#([^@]*)@(?:\((\w*):([^#]*)#([^)]*)\)|(.*))$/s.exec(line)
  if (match === null) throw new Error(`no tuple: ${line}`)
  const [
    ,
    namespace = '',
    object = '',
    relation = '',
    setNamespace,
    setObject = '',
    setRelation = '',
    id = '',
  ] = match
  return setNamespace === undefined
    ? { namespace, object, relation, subject_id: id }
    : {
        namespace,
        object,
        relation,
        subject_set: { namespace: setNamespace, object: setObject, relation: setRelation },
      }
}

/** The tuple as query parameters. */
export function query(line: string | WireTuple, more: Record<string, string> = {}): string {
  const { subject_set, ...parts } = typeof line === 'string' ? tuple(line) : line
  const set = Object.entries(subject_set ?? {}).map(([key, value]) => [`subject_set.${key}`, value])
  return new URLSearchParams({ ...parts, ...Object.fromEntries(set), ...more }).toString()
}

export function change(action: 'insert' | 'delete', line: string | WireTuple) {
  return { action, relation_tuple: typeof line === 'string' ? tuple(line) : line }
}

/** Writes the tuples in one call. */
export async function given({ writeUrl }: Permissions, ...lines: (string | WireTuple)[]): Promise<void> {
  const { status, text } = await ask(`${writeUrl}/admin/relation-tuples`, {
    method: 'PATCH',
    json: lines.map(line => change('insert', line)),
  })
  if (status !== 204) throw new Error(`the tuples were not written: ${status} ${text}`)
}

/** Whether the check says yes; throws when it says neither yes nor no. */
export async function allowed(
  { readUrl }: Permissions,
  line: string | WireTuple,
  more: Record<string, string> = {},
): Promise<boolean> {
  const { body, text } = await ask(`${readUrl}/relation-tuples/check?${query(line, more)}`)
  if (typeof body?.allowed !== 'boolean') throw new Error(`no answer to a check: ${text}`)
  return body.allowed
}

/** All pages of a list. */
export async function listAll(
  { readUrl }: Permissions,
  parameters: Record<string, string>,
): Promise<WireTuple[]> {
  const all: WireTuple[] = []
  let token = ''
  do {
    const { body } = await ask(
      `${readUrl}/relation-tuples?${new URLSearchParams({ ...parameters, page_token: token })}`,
    )
    all.push(...body.relation_tuples)
    token = body.next_page_token
  } while (token !== '')
  return all
}

/** A name that nobody else uses. */
export function unique(label: string): string {
  return `${label}-${randomUUID()}`
}
