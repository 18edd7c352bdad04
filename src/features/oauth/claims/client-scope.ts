// Whether a client may request a scope, by the OAuth2 server's own rule (Hydra's strategy `wildcard`, its default).
// Pure.

/**
 * True when one of the client's scopes (`allowed`, separated by spaces) covers `scope`: segment by segment between
 * dots, where `*` is any one segment and, as the last, any number of them.
 */
export function isScopeAllowed(allowed: string, scope: string): boolean {
  return allowed.split(' ').some(pattern => covers(pattern.split('.'), scope.split('.')))
}

function covers(pattern: readonly string[], segments: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === '*' && pattern.length < segments.length
  if (pattern.length !== segments.length && !isOpen) return false
  return pattern.every((part, i) => part === segments[i] || (part === '*' && segments[i] !== ''))
}
