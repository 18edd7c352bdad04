// What differs between the two mounts of the data API: Quoin's own `/v1/db` and, later, PostgREST's `/rest/v1`.

/** The rules of one mount. The grammar and the SQL are the same on both. */
export interface Dialect {
  /** What a write answers when `Prefer: return` is not sent. */
  readonly defaultReturn: 'representation' | 'minimal'
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
}

/** `/v1/db`: rows come back unless the caller says otherwise, and nothing that was asked for is silently ignored. */
export const QUOIN_DIALECT: Dialect = {
  defaultReturn: 'representation',
  isPageStrict: true,
  isPreferStrict: true,
  maxAffectedNeedsStrict: false,
  refusesUnusedParameters: true,
}
