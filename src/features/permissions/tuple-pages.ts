// Every tuple that a filter finds, page by page.

import { type Upstream, unavailable } from '../../clients/http.ts'
import {
  listTuples,
  type RelationTuple,
  TUPLES_PER_PAGE_MAX,
  type TupleFilter,
} from '../../clients/permission-server.ts'
import { unknownNamespace } from './tuple-errors.ts'

/** A Worker has six connections at a time. */
export const CALLS_AT_ONCE = 6
/** Most calls of the permission server for one answer; a Worker may make a thousand. */
export const CALLS_MAX = 900

export interface TuplesOfPage {
  readonly tuples: readonly RelationTuple[]
  readonly isLast: boolean
}

/**
 * The pages of a filter, one call each, the largest that the server gives, and `pagesMax` at most: the last one that is
 * yielded then says that it is not the last. Stop early to spare the others. Throws `unknown_namespace` and the
 * `upstream_*` errors.
 */
export async function* tuplePages(
  read: Upstream,
  filter: TupleFilter,
  pagesMax = CALLS_MAX,
): AsyncGenerator<TuplesOfPage, void, undefined> {
  let token: string | undefined
  for (let pages = 0; pages < pagesMax; pages++) {
    const page = await listTuples(read, filter, { size: TUPLES_PER_PAGE_MAX, token })
    if (page.outcome === 'unknown_namespace') throw unknownNamespace(filter)
    // Another server took over in between: whoever tries again begins there with its first page.
    if (page.outcome === 'refused_token') throw unavailable(read, 'it refused its own page token')
    token = page.nextPageToken
    yield { tuples: page.tuples, isLast: token === undefined }
    if (token === undefined) return
  }
}
