// What every part of the permission server is given. Made once by server.ts.

import type { Database } from '../service/database.ts'
import type { PageTokens } from '../service/page-tokens.ts'
import type { NamespaceFile } from './namespaces.ts'

export interface PermissionContext {
  readonly db: Database
  readonly namespaceFile: NamespaceFile
  readonly pageTokens: PageTokens
  readonly writeToken: string | undefined
  /** As Keto's `limit.max_read_depth`. */
  readonly depthMax: number
}
