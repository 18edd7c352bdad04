// A walk with the bounds of this deployment.

import type { PermissionReadDeps } from '../permission-deps.ts'
import { TupleStore } from './tuple-store.ts'
import type { Walk } from './walk-relation.ts'

/** Most calls of the permission server that one answer makes; a Worker may make a thousand. */
const CALLS_MAX = 900

/** What several walks of one answer share: a tuple is read once. */
export function startWalk({ upstreams, permissionFile, config }: PermissionReadDeps): Walk {
  const bounds = { tuplesMax: config.permissionTuplesMax, callsMax: CALLS_MAX }
  return {
    store: new TupleStore(upstreams.permissionRead, bounds),
    declarations: permissionFile.declarations,
    depthMax: config.permissionDepthMax,
  }
}
