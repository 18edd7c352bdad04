// What the browser brought back from the OAuth2 server, and whether an application may believe it. Pure.

export interface Callback {
  code: string | undefined
  error: string | undefined
  description: string | undefined
  state: string | undefined
  /** RFC 9207; not every server sends it. */
  iss: string | undefined
}

/** The query of the callback's address. */
export function readCallback(search: string): Callback {
  const query = new URLSearchParams(search)
  const field = (name: string) => query.get(name) ?? undefined
  return {
    code: field('code'),
    error: field('error'),
    description: field('error_description'),
    state: field('state'),
    iss: field('iss'),
  }
}

export interface Check {
  name: string
  result: 'good' | 'bad' | 'absent'
  words: string
}

/** `issuer` without a slash at its end. A code may be used only where no check is bad. */
export function checkCallback(callback: Callback, expected: { state: string; issuer: string }): Check[] {
  const { state, iss } = callback
  return [
    state === expected.state
      ? {
          name: 'state',
          result: 'good',
          words: 'It is the one that was sent: the answer belongs to this run.',
        }
      : {
          name: 'state',
          result: 'bad',
          words:
            'It is not the one that was sent: somebody else has begun this, or the answer is an old one.',
        },
    checkIssuer(iss, expected.issuer),
  ]
}

function checkIssuer(iss: string | undefined, issuer: string): Check {
  if (iss === undefined)
    return {
      name: 'iss',
      result: 'absent',
      words:
        'The server does not say who it is here. An application that uses several servers needs it (RFC 9207).',
    }
  return iss.replace(/\/$/, '') === issuer
    ? { name: 'iss', result: 'good', words: 'It is the OAuth2 server that was asked.' }
    : {
        name: 'iss',
        result: 'bad',
        words: `It is ${iss}: another server has answered (mix-up attack, RFC 9207).`,
      }
}

/** What an application checks in an ID token that came straight from the server (OpenID Connect Core 3.1.3.7). */
export function checkIdToken(
  claims: Readonly<Record<string, unknown>>,
  expected: { issuer: string; clientId: string; nonce: string | undefined },
): Check[] {
  const { iss, aud, nonce } = claims
  const audiences = Array.isArray(aud) ? aud : [aud]
  const check = (name: string, isRight: boolean, words: string, wrong: string): Check => ({
    name,
    result: isRight ? 'good' : 'bad',
    words: isRight ? words : wrong,
  })
  const checks = [
    check(
      'iss',
      typeof iss === 'string' && iss.replace(/\/$/, '') === expected.issuer,
      'Issued by the OAuth2 server that was asked.',
      `Issued by ${String(iss)}, not by the server that was asked.`,
    ),
    check(
      'aud',
      audiences.includes(expected.clientId),
      'Meant for this client.',
      'Meant for another client: it must be refused.',
    ),
  ]
  if (expected.nonce === undefined) return checks
  const isSame = nonce === expected.nonce
  return [
    ...checks,
    check('nonce', isSame, 'The one of this run.', 'Not the one of this run: it may be replayed.'),
  ]
}
