// Takes secrets out of what an audit row shows. Pure. Names are refused rather than values. Names of our own records
// are refused by a list, to which a new one must be added. Names that others chose (metadata of clients) are refused by
// what their words say.

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
/** Last words of names that hold a secret, and what may stand behind them when it is one all the same. */
const SECRET_WORD =
  /(?:^|_)(?:tokens?|secrets?|passwords?|passwd|passphrases?|credentials?|authorization|apikeys?)$/
const KEY_WORD = /_keys?$/
const FORM_OF_SECRET = /_(?:hash|pem|value|base64|hex)$/
/** Private parts of a JSON Web Key (RFC 7518 section 6); the same letters mean other things elsewhere. */
const PRIVATE_JWK_FIELDS: ReadonlySet<string> = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth'])

/** A copy of the value in which each secret reads `[secret]`; JSON in, JSON out. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  const isJwk = 'kty' in value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const isSecret =
        SECRET_FIELDS.has(name) || (isJwk && PRIVATE_JWK_FIELDS.has(name)) || isNamedSecret(name, item)
      return [name, isSecret && item !== null && item !== undefined ? '[secret]' : withoutSecrets(item)]
    }),
  )
}

/** By the name's last word, in any spelling: `apiToken`, `api-token`. Numbers are counts and lifetimes. */
function isNamedSecret(name: string, item: unknown): boolean {
  if (typeof item === 'number' || typeof item === 'boolean') return false
  const words = name
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase()
    .replace(FORM_OF_SECRET, '')
  return SECRET_WORD.test(words) || (KEY_WORD.test(words) && !/(?:^|_)public_keys?$/.test(words))
}
