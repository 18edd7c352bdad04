// What reading and writing permissions needs of the deployment: the permission server, its file, and bounds.

import type { Upstream } from '../../clients/http.ts'
import type { Declarations } from './declarations.ts'

/** The permission file that the Worker was built with. */
export interface BundledPermissions {
  readonly text: string
  /** Parsed on the first call. */
  readonly declarations: Declarations
}

export interface PermissionReadDeps {
  upstreams: { permissionRead: Upstream }
  permissionFile: BundledPermissions
  config: { permissionDepthMax: number; permissionTuplesMax: number }
}

export interface PermissionWriteDeps extends PermissionReadDeps {
  upstreams: { permissionRead: Upstream; permissionWrite: Upstream }
}
