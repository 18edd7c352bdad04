// Key sets in the database, encrypted with the system secret, and the two sets that the server signs with: their first
// key is made when it is first needed. The newest private key of a set signs.

import { createPrivateKey, type JsonWebKey, type KeyObject, randomUUID } from 'node:crypto'
import { type Database, isUniqueViolation, type Queryable } from '../../service/database.ts'
import { makeSealer, type Sealer } from '../../service/sealed-values.ts'
import { alreadyThere, HydraError } from '../wire/hydra-error.ts'
import { isPrivateJwk, type Jwk, publicJwk } from './jwk.ts'
import { generateJwk } from './key-generation.ts'

/** What signs ID tokens and logout tokens, and what signs JWT access tokens. */
export type SigningSet = 'hydra.openid.id-token' | 'hydra.jwt.access-token'
export const SIGNING_SETS: readonly SigningSet[] = ['hydra.openid.id-token', 'hydra.jwt.access-token']
const SIGNING_ALG = 'RS256'
const PURPOSE = 'private-key'

export interface SigningKey {
  readonly kid: string
  readonly alg: string
  readonly jwk: Jwk
  readonly privateKey: KeyObject
}

export interface NewKey {
  readonly alg: string
  /** Empty: a UUID. */
  readonly kid: string
  /** Empty: `sig`. */
  readonly use: string
}

export interface KeyStore {
  /** The keys of a set with their private parts, newest first; empty when there is no such set. */
  keysOf(set: string): Promise<Jwk[]>
  key(set: string, kid: string): Promise<Jwk | undefined>
  /** Adds a key to a set; throws a `HydraError` 400 for an unknown algorithm, 409 for a kid that is there. */
  generate(set: string, key: NewKey): Promise<Jwk>
  /** Replaces the key of that kid, or adds it. */
  removeKey(set: string, kid: string): Promise<void>
  removeSet(set: string): Promise<void>
  /** The key that signs for the set now; made (RS256) when the set has none. Not cached: a new key signs at once. */
  signingKey(set: SigningSet): Promise<SigningKey>
  /** All public keys that a verifier needs, of both signing sets, newest first within each. */
  publicKeys(): Promise<Jwk[]>
}

interface KeyRow {
  readonly encrypted_jwk: string
}

interface KeyStoreParts {
  readonly database: Database
  readonly systemSecret: string
  readonly rsaKeyBits: number
  /** Milliseconds. */
  readonly now: () => number
}

/** The keys of that database. */
export function makeKeyStore({ database, systemSecret, rsaKeyBits, now }: KeyStoreParts): KeyStore {
  const sealer = makeSealer(systemSecret)
  const rows = new KeyRows(sealer, now)
  const generate = async (set: string, { alg, kid, use }: NewKey) => {
    const jwk = await generateJwk(alg, { kid: kid || randomUUID(), use: use || 'sig', rsaKeyBits })
    if (jwk === undefined) throw new HydraError(400, 'Bad Request', 'Unsupported key algorithm')
    await rows.insert(database, set, jwk)
    return jwk
  }
  const keysOf = (set: string) => rows.select(database, set)
  const signing = onlyOnceAtATime(async (set: SigningSet) => {
    const jwk = (await keysOf(set)).find(isPrivateJwk)
    return jwk ?? (await generate(set, { alg: SIGNING_ALG, kid: '', use: 'sig' }))
  })
  return {
    keysOf,
    generate,
    key: async (set, kid) => (await rows.select(database, set, kid))[0],
    removeKey: (set, kid) => rows.remove(database, set, kid),
    removeSet: set => rows.remove(database, set),
    signingKey: async set => readSigningKey(await signing(set)),
    async publicKeys() {
      await Promise.all(SIGNING_SETS.map(signing))
      const sets = await Promise.all(SIGNING_SETS.map(keysOf))
      return sets
        .flat()
        .map(publicJwk)
        .filter(jwk => jwk !== undefined)
    },
  }
}

/** The rows of keys: what is stored is the sealed JWK. */
class KeyRows {
  readonly #sealer: Sealer
  readonly #now: () => number

  constructor(sealer: Sealer, now: () => number) {
    this.#sealer = sealer
    this.#now = now
  }

  /** Newest first; only that of `kid` when it is given. */
  async select(db: Queryable, set: string, kid?: string): Promise<Jwk[]> {
    const { rows } = await db.query<KeyRow>(
      `select encrypted_jwk from keys where set_id = $1 and kid = coalesce($2, kid) order by position desc`,
      [set, kid ?? null],
    )
    return rows.map(row => this.#open(row))
  }

  async insert(db: Queryable, set: string, jwk: Jwk): Promise<void> {
    try {
      await db.query('insert into keys (set_id, kid, encrypted_jwk, created_at) values ($1, $2, $3, $4)', [
        set,
        jwk.kid ?? '',
        this.#sealer.seal(PURPOSE, jwk),
        new Date(this.#now()),
      ])
    } catch (err) {
      throw isUniqueViolation(err) ? alreadyThere() : err
    }
  }

  async remove(db: Queryable, set: string, kid?: string): Promise<void> {
    await db.query('delete from keys where set_id = $1 and kid = coalesce($2, kid)', [set, kid ?? null])
  }

  #open({ encrypted_jwk }: KeyRow): Jwk {
    const jwk = this.#sealer.open(PURPOSE, encrypted_jwk)
    if (jwk === undefined)
      throw new Error('a stored key does not open: the system secret is not the one it was made with')
    return jwk as Jwk
  }
}

function readSigningKey(jwk: Jwk): SigningKey {
  return {
    kid: String(jwk.kid),
    alg: String(jwk['alg']),
    jwk,
    privateKey: createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' }),
  }
}

/** Those who ask for the same while it is being made wait for the same, so that no second key is made. */
function onlyOnceAtATime<T>(make: (set: SigningSet) => Promise<T>): (set: SigningSet) => Promise<T> {
  const pending = new Map<SigningSet, Promise<T>>()
  return set => {
    const running = pending.get(set) ?? make(set).finally(() => pending.delete(set))
    pending.set(set, running)
    return running
  }
}
