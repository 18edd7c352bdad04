// A walk with the bounds of this deployment.

import type { PermissionReadDeps } from '../permission-deps.ts'
import { CALLS_MAX } from '../tuple-pages.ts'
import { TupleReader } from './tuple-reader.ts'
import type { Walk } from './walk-relation.ts'

/** An isolate has 128 MB for the answer's texts, their JSON and its bytes together. */
const CHARACTERS_MAX = 16 * 1024 * 1024

/**
 * What all walks of one answer share: a tuple is read once. `only` asks about one subject, `without` leaves out tuples,
 * both in their text form.
 */
export function startWalk(
  { upstreams, permissionFile, config }: PermissionReadDeps,
  { only, without }: { only?: string; without?: ReadonlySet<string> } = {},
): Walk {
  const bounds = { tuplesMax: config.permissionTuplesMax, callsMax: CALLS_MAX }
  return {
    reader: new TupleReader(upstreams.permissionRead, bounds, without),
    declarations: permissionFile.declarations,
    depthMax: config.permissionDepthMax,
    ...(only !== undefined && { only }),
    room: { characters: CHARACTERS_MAX },
  }
}
