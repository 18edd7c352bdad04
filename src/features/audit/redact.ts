// Takes secrets out of what an audit row shows. Pure. Names are refused rather than values: a secret that is new here
// must be added by its name.

/** Fields that hold a secret whatever record they stand in. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'client_secret',
  'key',
  'key_hash',
  'password',
  'registration_access_token',
  'secret',
  'token',
])
/** Private parts of a JSON Web Key (RFC 7518 section 6); the same letters mean other things elsewhere. */
const PRIVATE_JWK_FIELDS: ReadonlySet<string> = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth'])

/** A copy of the value in which each secret reads `[secret]`; JSON in, JSON out. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  const isJwk = 'kty' in value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const isSecret = SECRET_FIELDS.has(name) || (isJwk && PRIVATE_JWK_FIELDS.has(name))
      return [name, isSecret && item !== null && item !== undefined ? '[secret]' : withoutSecrets(item)]
    }),
  )
}
