// What differs between the mounts of the data API: Quoin's own `/v1/db`, and PostgREST's `/rest/v1`.

import { ROW_LIMIT_DEFAULT, ROW_LIMIT_MAX } from './limits.ts'

/** The rules of one mount. The grammar and the SQL are the same on both. */
export interface Dialect {
  /** What a write answers when `Prefer: return` is not sent. */
  readonly defaultReturn: 'representation' | 'minimal'
  /** Rows that an answer has when the request does not say, and most that it has. */
  readonly rowLimit: { readonly unsaid: number; readonly max: number }
  /**
   * True: a `limit` or `offset` that is no number in bounds is refused; false: it is ignored or cut, as PostgREST
   * does.
   */
  readonly isPageStrict: boolean
  /** True: a known preference with an unknown value is refused even without `handling=strict`. */
  readonly isPreferStrict: boolean
  /** True: `max-affected` counts only together with `handling=strict`. */
  readonly maxAffectedNeedsStrict: boolean
  /**
   * True: parameters and strict preferences that a request has no use for are refused; false: ignored, as PostgREST
   * does.
   */
  readonly refusesUnusedParameters: boolean
  /** True: `Location` and `Content-Location` begin with the mount, of which PostgREST knows nothing. */
  readonly namesMount: boolean
}

/** `/v1/db`: rows come back unless the caller says otherwise, and nothing that was asked for is silently ignored. */
export const QUOIN_DIALECT: Dialect = {
  defaultReturn: 'representation',
  rowLimit: { unsaid: ROW_LIMIT_DEFAULT, max: ROW_LIMIT_MAX },
  isPageStrict: true,
  isPreferStrict: true,
  maxAffectedNeedsStrict: false,
  refusesUnusedParameters: true,
  namesMount: true,
}

/** `/rest/v1`: as PostgREST, with at most `dbMaxRows` rows in an answer. */
export function postgrestDialect({ dbMaxRows }: { readonly dbMaxRows: number }): Dialect {
  return {
    defaultReturn: 'minimal',
    rowLimit: { unsaid: dbMaxRows, max: dbMaxRows },
    isPageStrict: false,
    isPreferStrict: false,
    maxAffectedNeedsStrict: true,
    refusesUnusedParameters: false,
    namesMount: false,
  }
}
