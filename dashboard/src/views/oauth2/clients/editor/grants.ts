// Which response types go with which grants (OpenID Connect Registration section 2). Pure.

/** In the words' usual order, which is the server's. */
const OF_CODE = ['code']
const OF_IMPLICIT = ['token', 'id_token', 'id_token token']
const OF_BOTH = ['code id_token', 'code token', 'code id_token token']

/** The response types that these grants can have. */
export function possibleResponseTypes(grants: readonly string[]): string[] {
  const hasCode = grants.includes('authorization_code')
  const hasImplicit = grants.includes('implicit')
  return [
    ...(hasCode ? OF_CODE : []),
    ...(hasImplicit ? OF_IMPLICIT : []),
    ...(hasCode && hasImplicit ? OF_BOTH : []),
  ]
}

/**
 * The response types after a change of the grants: those that still can be, and the plain ones of a grant that has
 * come. Hybrid ones are asked for by themselves.
 */
export function responseTypesAfter(
  present: readonly string[],
  before: readonly string[],
  after: readonly string[],
): string[] {
  const possible = possibleResponseTypes(after)
  const came = (grant: string) => after.includes(grant) && !before.includes(grant)
  const wanted = new Set([
    ...present,
    ...(came('authorization_code') ? OF_CODE : []),
    ...(came('implicit') ? OF_IMPLICIT : []),
  ])
  return possible.filter(type => wanted.has(type))
}
