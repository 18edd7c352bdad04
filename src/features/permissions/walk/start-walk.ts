// A walk with the bounds of this deployment.

import { Turns } from '../../../lib/turns.ts'
import type { PermissionReadDeps } from '../permission-deps.ts'
import { CALLS_MAX } from '../tuple-pages.ts'
import { AnswerRoom, jsonBytes } from './answer-room.ts'
import { TupleReader } from './tuple-reader.ts'
import type { Walk } from './walk-relation.ts'

/** Of an answer's JSON: an isolate has 128 MB for its texts, their JSON and its bytes together. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024

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
    room: new AnswerRoom(ANSWER_BYTES_MAX),
    turns: new Turns(),
  }
}

/** The walk with room for an answer that has a row of these columns for each subject. */
export function withMatrix(walk: Walk, columns: Iterable<string>): Walk {
  let rowBytes = 0
  // `"name":false,` in the row, and the name once more in each grant.
  for (const name of columns) rowBytes += 2 * jsonBytes(name) + 9
  return { ...walk, room: new AnswerRoom(ANSWER_BYTES_MAX, rowBytes) }
}
