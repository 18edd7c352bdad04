// Which scopes and audiences a client may ask for: Hydra's wildcard scopes and its audience rule (pure).

/**
 * Whether one of `allowed` covers `scope`: equal, or with `*` for one dotted part, a trailing `*` for all the rest
 * (`photos.*` covers `photos.read` and `photos.read.own`, not `photos`).
 */
export function coversScope(allowed: readonly string[], scope: string): boolean {
  const parts = scope.split('.')
  return allowed.some(pattern => coversParts(pattern.split('.'), parts))
}

function coversParts(pattern: readonly string[], parts: readonly string[]): boolean {
  if (pattern.length > parts.length) return false
  if (pattern.length < parts.length && pattern.at(-1) !== '*') return false
  return pattern.every((part, i) => (part === '*' ? parts[i] !== '' : part === parts[i]))
}

/** Splits a space separated parameter; empty parts vanish. */
export function words(value: string | null | undefined): string[] {
  return (value ?? '').split(' ').filter(word => word !== '')
}

/** The `audience` parameters of a form: repeated ones are taken whole, a single one is split at spaces. */
export function requestedAudience(form: URLSearchParams): string[] {
  const values = form.getAll('audience')
  return values.length > 1 ? values.filter(value => value !== '') : words(values[0])
}

/**
 * Whether one of `allowed` covers `audience`: same scheme and host, and the path equal to or below the allowed one.
 * An audience that is no URL matches only itself.
 */
export function coversAudience(allowed: readonly string[], audience: string): boolean {
  const asked = URL.parse(audience)
  if (!asked) return allowed.includes(audience)
  return allowed.some(entry => {
    const granted = URL.parse(entry)
    return granted ? isBelow(asked, granted) : entry === audience
  })
}

function isBelow(asked: URL, granted: URL): boolean {
  if (asked.protocol !== granted.protocol || asked.host !== granted.host) return false
  const path = granted.pathname.replace(/\/+$/, '')
  return (
    asked.pathname === granted.pathname || asked.pathname === path || asked.pathname.startsWith(`${path}/`)
  )
}
