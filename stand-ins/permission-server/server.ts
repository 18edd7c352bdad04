// Starts the local permission server: an own server that speaks the wire of Ory Keto v26.2.0, as far as Quoin, an
// application and Ory's client ask. For development and tests on one machine: it is not made for the internet.

import { openDatabase } from '../service/database.ts'
import { listenAll } from '../service/listen.ts'
import { makePageTokens } from '../service/page-tokens.ts'
import { unreadable } from '../service/wire-error.ts'
import { readApp, syntaxApp, writeApp } from './apps.ts'
import type { PermissionContext } from './context.ts'
import { openNamespaceFile } from './namespaces.ts'
import { PermissionServerSettings } from './settings.ts'
import { TABLES } from './tables.ts'

const PAGE_TOKEN_SECONDS = 60 * 60
/** As long as those of a real Keto, which hold the whole last row of a page. */
const PAGE_TOKEN_LENGTH = 764

export interface PermissionServer {
  /** Addresses without a slash at the end. */
  readonly readUrl: string
  readonly writeUrl: string
  readonly syntaxUrl: string
  /** Lets open requests finish, then leaves the database. */
  close(): Promise<void>
}

/**
 * Resolves when the three ports answer; rejects when a port is taken, the database is out of reach, or the permission
 * file cannot be read or has errors.
 */
export async function startPermissionServer(input: PermissionServerSettings): Promise<PermissionServer> {
  const settings = PermissionServerSettings.parse(input)
  const namespaceFile = await openNamespaceFile(settings.namespacesFile)
  const db = await openDatabase({
    connectionString: settings.databaseUrl,
    applicationName: 'quoin:permission-server',
    tables: [TABLES],
  })
  const context: PermissionContext = {
    db,
    namespaceFile,
    pageTokens: makePageTokens({
      secret: settings.pageTokenSecret,
      ttlSeconds: PAGE_TOKEN_SECONDS,
      lengthMin: PAGE_TOKEN_LENGTH,
      now: Date.now,
      refuse: unreadable,
    }),
    writeToken: settings.writeToken,
    depthMax: settings.depthMax,
  }
  const { urls, close } = await listenAll(db, [
    [readApp(context), settings.readPort],
    [writeApp(context), settings.writePort],
    [syntaxApp(context), settings.syntaxPort],
  ])
  const [readUrl = '', writeUrl = '', syntaxUrl = ''] = urls
  return { readUrl, writeUrl, syntaxUrl, close }
}
