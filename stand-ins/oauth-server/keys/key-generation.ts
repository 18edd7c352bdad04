// New key pairs as private JWKs, for every algorithm that Hydra makes keys for. RSA takes seconds: it is made on
// Node's thread pool and never holds up other requests.

import { type ECKeyPairKeyObjectOptions, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { Jwk } from './jwk.ts'

const makeKeyPair = promisify(generateKeyPair)
/** Hydra makes these longer only for RS256, RS384 and RS512. */
const PSS_KEY_BITS = 2048

type Maker = (rsaKeyBits: number) => Promise<{ privateKey: KeyObject }>

const rsa: Maker = bits => makeKeyPair('rsa', { modulusLength: bits })
const pss: Maker = () => rsa(PSS_KEY_BITS)
const ec =
  (namedCurve: ECKeyPairKeyObjectOptions['namedCurve']): Maker =>
  () =>
    makeKeyPair('ec', { namedCurve })

const MAKERS: ReadonlyMap<string, Maker> = new Map([
  ['RS256', rsa],
  ['RS384', rsa],
  ['RS512', rsa],
  ['PS256', pss],
  ['PS384', pss],
  ['PS512', pss],
  ['ES256', ec('P-256')],
  ['ES384', ec('P-384')],
  ['ES512', ec('P-521')],
  ['EdDSA', () => makeKeyPair('ed25519')],
])

/** A private key for `alg`; undefined when that is no algorithm to make keys for. */
export async function generateJwk(
  alg: string,
  { kid, use, rsaKeyBits }: { kid: string; use: string; rsaKeyBits: number },
): Promise<Jwk | undefined> {
  const { privateKey } = (await MAKERS.get(alg)?.(rsaKeyBits)) ?? {}
  return privateKey && { use, kid, alg, ...privateKey.export({ format: 'jwk' }) }
}
