import { describe, expect, it } from 'vitest'
import {
  checkCallback,
  checkIdToken,
  readCallback,
} from '../../../dashboard/src/views/oauth2/flow-tester/callback.ts'
import {
  type Circumstances,
  explainAnswer,
  explainError,
} from '../../../dashboard/src/views/oauth2/flow-tester/explain.ts'
import type { HttpAnswer } from '../../../dashboard/src/views/oauth2/flow-tester/http-exchange.ts'
import { offsetText } from '../../../dashboard/src/views/oauth2/flow-tester/offset.ts'
import {
  inGroups,
  readDeviceCodes,
  secondsToNextPoll,
} from '../../../dashboard/src/views/oauth2/flow-tester/polling.ts'
import {
  advance,
  newRun,
  type Run,
  type RunEvent,
  type StepName,
} from '../../../dashboard/src/views/oauth2/flow-tester/run.ts'
import { spacedCode } from '../../../src/features/oauth/bridge/device-code.ts'

const answer = (status: number, json: Record<string, unknown>): HttpAnswer => ({
  status,
  headers: [],
  text: JSON.stringify(json),
  json,
})
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const PENDING = answer(400, { error: 'authorization_pending' })

type Untimed<Event> = Event extends unknown ? Omit<Event, 'at'> : never

/** The run after these, each a second after the one before. */
function play(run: Run, ...events: Untimed<RunEvent>[]): Run {
  return events.reduce<Run>((state, event, i) => advance(state, { at: i * 1_000, ...event } as RunEvent), run)
}

function exchanged(step: StepName, grant: string, reply: HttpAnswer) {
  const id = crypto.randomUUID()
  const request = {
    method: 'POST' as const,
    url: 'https://oauth.example.com/oauth2/token',
    headers: [],
    form: [{ name: 'grant_type', value: grant }],
  }
  return [
    { kind: 'sent', id, step, request },
    { kind: 'answered', id, answer: reply },
  ] as const
}

const words = ({ messages }: Run) => messages.map(({ from, to, text }) => `${from} > ${to}: ${text}`)

describe('a run', () => {
  const callback = readCallback('?code=c&state=s')

  it('shows what happened elsewhere as such, once the browser is back', () => {
    const opened = play(newRun('code'), { kind: 'window opened' })
    expect(words(opened)).toEqual([
      'application > browser: Go and sign in',
      'browser > server: GET /oauth2/auth',
    ])
    const { messages } = play(opened, { kind: 'came back', callback })
    expect(messages.filter(({ isInferred }) => isInferred).map(({ at }) => at)).toEqual(
      Array.from({ length: 5 }),
    )
    expect(messages.at(-1)).toMatchObject({ from: 'browser', to: 'application', at: 0 })
  })

  it('shows no sign-in where the server refused before it', () => {
    const refused = readCallback('?error=invalid_scope&state=s')
    const run = play(newRun('code'), { kind: 'window opened' }, { kind: 'came back', callback: refused })
    expect(run.messages.some(({ isInferred }) => isInferred)).toBe(false)
    expect(run.messages.some(({ isBad, text }) => isBad && text.includes('invalid_scope'))).toBe(true)
  })

  it('keeps the tokens, takes the time of the sign-in from the ID token, and remembers what was rotated out', () => {
    const idToken = `${part({ alg: 'RS256' })}.${part({ auth_time: 1_700_000_000 })}.c2ln`
    const run = play(
      newRun('code'),
      { kind: 'window opened' },
      { kind: 'came back', callback },
      ...exchanged(
        'token',
        'authorization_code',
        answer(200, { access_token: 'a1', refresh_token: 'r1', id_token: idToken }),
      ),
    )
    expect(run.tokens).toEqual({ access: 'a1', refresh: 'r1', id: idToken })
    expect(run.messages.find(({ id }) => id === 'signed in')?.at).toBe(1_700_000_000_000)
    const refreshed = play(
      run,
      ...exchanged('refresh', 'refresh_token', answer(200, { access_token: 'a2', refresh_token: 'r2' })),
    )
    expect(refreshed.tokens).toEqual({ access: 'a2', refresh: 'r2', id: idToken })
    expect(refreshed.oldRefreshToken).toBe('r1')
    const reused = play(
      refreshed,
      ...exchanged('reuse', 'refresh_token', answer(400, { error: 'invalid_grant' })),
    )
    expect(words(reused).slice(-2)).toEqual([
      'application > server: POST /oauth2/token · old refresh_token',
      'server > application: 400 · invalid_grant',
    ])
    expect(reused.tokens).toEqual(refreshed.tokens)
  })

  it('counts polls that get the same answer instead of repeating them', () => {
    const poll = (reply: HttpAnswer) => exchanged('poll', 'device_code', reply)
    const run = play(newRun('device'), ...poll(PENDING), ...poll(PENDING), ...poll(PENDING))
    expect(run.messages.map(({ times }) => times)).toEqual([3, 3])
    expect(run.exchanges).toHaveLength(1)
    const done = play(run, ...poll(answer(200, { access_token: 'a' })))
    expect(words(done).at(-1)).toBe('server > device: 200 · access_token')
    // The person said yes before the poll that got the tokens.
    expect(done.messages.slice(2, -2).every(({ isInferred }) => isInferred)).toBe(true)
  })

  it('takes no answer of a run that was begun again', () => {
    const [sent, answered] = exchanged('token', 'authorization_code', answer(200, { access_token: 'a' }))
    const run = play(newRun('code'), sent, { kind: 'begun again' }, answered)
    expect(run).toEqual(newRun('code'))
  })
})

describe('the callback', () => {
  const expected = { state: 's', issuer: 'https://oauth.example.com' }
  const results = (search: string) =>
    checkCallback(readCallback(search), expected).map(({ result }) => result)

  // The attack: somebody has the victim's browser finish a run that the attacker began.
  it('finds another state wrong, and a missing one', () => {
    expect(results('?code=c&state=s')).toEqual(['good', 'absent'])
    expect(results('?code=c&state=t')).toEqual(['bad', 'absent'])
    expect(results('?code=c')).toEqual(['bad', 'absent'])
  })

  it('finds another issuer wrong', () => {
    expect(results('?code=c&state=s&iss=https://oauth.example.com/')).toEqual(['good', 'good'])
    expect(results('?code=c&state=s&iss=https://evil.example')).toEqual(['good', 'bad'])
  })

  it('finds an ID token of another server, client or run wrong', () => {
    const wanted = { issuer: 'https://oauth.example.com', clientId: 'app', nonce: 'n' }
    const check = (claims: object) => checkIdToken({ ...claims }, wanted).map(({ result }) => result)
    const good = { iss: wanted.issuer, aud: ['app'], nonce: 'n' }
    expect(check(good)).toEqual(['good', 'good', 'good'])
    expect(check({ ...good, iss: 'https://evil.example' })).toEqual(['bad', 'good', 'good'])
    expect(check({ ...good, aud: 'other' })).toEqual(['good', 'bad', 'good'])
    expect(check({ ...good, nonce: undefined })).toEqual(['good', 'good', 'bad'])
  })
})

describe('an explanation', () => {
  const circumstances: Circumstances = {
    client: {
      client_id: 'app',
      client_name: 'App',
      grant_types: ['authorization_code'],
      scope: 'openid email',
      audience: [],
      redirect_uris: ['https://a.example/b'],
      token_endpoint_auth_method: 'none',
    },
    redirectUri: 'https://dash.example/callback',
    asked: { scope: 'openid admin', audience: '' },
    origin: 'https://dash.example',
    server: 'https://oauth.example.com',
  }

  it('says which scope was too much, and what may be asked for', () => {
    expect(explainError('invalid_scope', 'The requested scope is invalid.', circumstances)).toEqual({
      title: 'The server refused: invalid_scope',
      said: 'The requested scope is invalid.',
      what: "admin is not among the client's scopes. It may ask for:",
      list: ['openid', 'email'],
      isOfClient: true,
    })
  })

  it('says which redirect URIs are registered', () => {
    const { list } = explainError('invalid_request', 'redirect_url does not match', circumstances)
    expect(list).toEqual(['https://a.example/b'])
  })

  it('says what to allow where the server lets no page of here in', () => {
    const explanation = explainAnswer({ failure: 'cross-origin' }, circumstances)
    expect(explanation?.what).toContain('serve.public.cors')
    expect(explanation?.list).toEqual(['https://dash.example'])
    expect(explainAnswer({ failure: 'unreachable' }, circumstances)?.what).toContain('does not answer')
  })

  it('is not given for good answers, nor for "not yet"', () => {
    expect(explainAnswer(answer(200, {}), circumstances)).toBeUndefined()
    expect(explainAnswer(PENDING, circumstances)).toBeUndefined()
    expect(explainAnswer(answer(400, { error: 'expired_token' }), circumstances)?.what).toContain('new ones')
  })
})

describe('a device', () => {
  it('waits for the interval, longer after slow_down, and stops at everything else', () => {
    expect(secondsToNextPoll(5, PENDING)).toBe(5)
    expect(secondsToNextPoll(5, answer(400, { error: 'slow_down' }))).toBe(10)
    expect(secondsToNextPoll(5, answer(400, { error: 'expired_token' }))).toBeUndefined()
    expect(secondsToNextPoll(5, answer(200, { access_token: 'a' }))).toBeUndefined()
    expect(secondsToNextPoll(5, { failure: 'unreachable' })).toBeUndefined()
  })

  it('takes five seconds where the server names no interval', () => {
    const codes = { device_code: 'd', user_code: 'u', verification_uri: 'https://oauth.example.com/v' }
    expect(readDeviceCodes(answer(200, codes))?.intervalSeconds).toBe(5)
    expect(readDeviceCodes(answer(200, { ...codes, interval: 2 }))?.intervalSeconds).toBe(2)
    expect(readDeviceCodes(answer(400, { error: 'invalid_client' }))).toBeUndefined()
  })
})

it('writes times since the first message', () => {
  expect([-1, 0, 1_234, 12_345, 125_000].map(offsetText)).toEqual([
    'earlier',
    '+0.00 s',
    '+1.23 s',
    '+12.3 s',
    '+2:05 min',
  ])
})

it('shows a device’s code as the page does that asks for it', () => {
  for (const code of ['ABCDEFGH', '123456789', 'aBc', 'ABCD-EFGH'])
    expect(inGroups(code)).toBe(spacedCode(code))
  expect(inGroups('ABCDEFGH')).toBe('ABCD-EFGH')
})
