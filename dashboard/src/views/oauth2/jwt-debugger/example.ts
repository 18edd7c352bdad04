// A token to look at, for whoever has none at hand. Nobody has signed it.

import { OAUTH_PUBLIC_URL } from '../../../api/addresses.ts'

const HOUR_SECONDS = 3_600

export function exampleToken(now: Date): string {
  const seconds = Math.floor(now.getTime() / 1_000)
  const header = { alg: 'RS256', kid: 'example', typ: 'JWT' }
  const payload = {
    iss: OAUTH_PUBLIC_URL,
    sub: '9f1c2d3e-0000-4000-8000-000000000000',
    aud: ['example-application'],
    iat: seconds,
    exp: seconds + HOUR_SECONDS,
    email: 'ann@example.com',
    email_verified: true,
  }
  return `${encode(header)}.${encode(payload)}.${btoa('not a signature').replaceAll('=', '')}`
}

function encode(value: object): string {
  return btoa(JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
