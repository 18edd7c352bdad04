// Where a rotation stands, and until when tokens of an old key may be out. Pure: keys come newest first, as the API
// lists them; the newest one signs.

interface DatedKey {
  kid: string
  created_at: string | null
}

interface ClientLifetimes {
  id_token_ttl: number | null
  access_token_ttl: number | null
}

/** What Ory Hydra gives both kinds of token where neither its configuration nor the client says otherwise. */
export const SERVER_DEFAULT_SECONDS = 3_600

export interface Lifetime {
  seconds: number
  /** Some client leaves it to the server, whose own setting is not known here. */
  usesDefault: boolean
}

/** The longest lifetime of the tokens that a set signs, over all clients. */
export function longestLifetime(clients: readonly ClientLifetimes[], setId: string): Lifetime {
  const field = setId === 'hydra.openid.id-token' ? 'id_token_ttl' : 'access_token_ttl'
  const known = clients.map(client => client[field])
  const usesDefault = known.length === 0 || known.includes(null)
  const longest = Math.max(0, ...known.filter(seconds => seconds !== null))
  return { seconds: usesDefault ? Math.max(longest, SERVER_DEFAULT_SECONDS) : longest, usesDefault }
}

/**
 * When the last token signed with this key ends. A key signs until the next one is made. null: not known, as that one
 * was not made through Quoin, or as the clients' lifetimes are not.
 */
export function lastTokenEndsAt(
  keys: readonly DatedKey[],
  kid: string,
  lifetime: Lifetime | null,
  now: Date,
): Date | null {
  if (lifetime === null) return null
  const at = keys.findIndex(key => key.kid === kid)
  const next = keys[at - 1]
  if (at > 0 && (next === undefined || next.created_at === null)) return null
  const signedUntil = next?.created_at == null ? now : new Date(next.created_at)
  return new Date(signedUntil.getTime() + lifetime.seconds * 1_000)
}

/** `add`: the one key signs. `wait`: a new one signs, tokens of the old may be out. `remove`: they have ended. */
export type RotationStep = 'add' | 'wait' | 'remove'

/** `publicKids`: those in the JWKS. */
export function rotationStep(
  keys: readonly DatedKey[],
  publicKids: readonly string[],
  lifetime: Lifetime | null,
  now: Date,
): RotationStep {
  const [newest, ...old] = keys
  if (newest === undefined || old.length === 0) return 'add'
  const ends = old.map(({ kid }) => lastTokenEndsAt(keys, kid, lifetime, now))
  const haveEnded = ends.every(end => end !== null && end <= now)
  return haveEnded && publicKids.includes(newest.kid) ? 'remove' : 'wait'
}
