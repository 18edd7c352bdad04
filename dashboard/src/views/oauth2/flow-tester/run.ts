// One run of a flow: what was sent, what came back, and the messages of its diagram, in the order in which they
// happened. A pure state machine: clocks, random numbers and requests are its user's.

import { readJwt } from '../../../parts/jwt.ts'
import type { Callback } from './callback.ts'
import { type Flow, type Party, senderOf } from './flows.ts'
import {
  type HttpAnswer,
  type HttpRequest,
  hasFailed,
  isGood,
  type NoAnswer,
  textOf,
} from './http-exchange.ts'

export type StepName =
  | 'authorize'
  | 'token'
  | 'device'
  | 'poll'
  | 'userinfo'
  | 'introspect'
  | 'refresh'
  | 'reuse'
  | 'revoke'

export interface Message {
  id: string
  from: Party
  to: Party
  text: string
  /** Milliseconds since 1970. Undefined: this page only knows that it happened, between the two around it. */
  at: number | undefined
  /** Happened where this page does not see: known from what came back. */
  isInferred?: boolean
  isBad?: boolean
  /** How often it happened one after the other; the time is the last one's. */
  times?: number
}

export interface Exchange {
  id: string
  step: StepName
  request: HttpRequest
  /** Undefined while it is on its way. */
  answer?: HttpAnswer | NoAnswer
  sentAt: number
  answeredAt?: number
}

export interface Tokens {
  access: string
  refresh: string | undefined
  id: string | undefined
}

export interface Run {
  flow: Flow
  messages: readonly Message[]
  /** The last one of each poll; all of the others. */
  exchanges: readonly Exchange[]
  callback: Callback | undefined
  /** The newest. */
  tokens: Tokens | undefined
  /** Rotated out: sending it again ends the grant. */
  oldRefreshToken: string | undefined
}

export type RunEvent =
  | { kind: 'begun again' }
  /** The sign-in, or the page for a device's code, was opened in a window of its own. */
  | { kind: 'window opened'; at: number }
  | { kind: 'came back'; at: number; callback: Callback }
  | { kind: 'sent'; at: number; id: string; step: StepName; request: HttpRequest }
  | { kind: 'answered'; at: number; id: string; answer: HttpAnswer | NoAnswer }

export function newRun(flow: Flow): Run {
  return {
    flow,
    messages: [],
    exchanges: [],
    callback: undefined,
    tokens: undefined,
    oldRefreshToken: undefined,
  }
}

/** The run after something happened. */
export function advance(run: Run, event: RunEvent): Run {
  switch (event.kind) {
    case 'begun again':
      return newRun(run.flow)
    case 'window opened':
      return run.flow === 'device' ? codePageOpened(run, event.at) : signInOpened(run, event.at)
    case 'came back':
      return cameBack(run, event.at, event.callback)
    case 'sent':
      return sent(run, event)
    case 'answered':
      return answered(run, event.id, event.at, event.answer)
  }
}

function signInOpened(run: Run, at: number): Run {
  // Opened once more, the earlier attempt counts for nothing.
  return withMessages(newRun(run.flow), [
    { id: 'go', from: 'application', to: 'browser', text: 'Go and sign in', at },
    { id: 'authorize', from: 'browser', to: 'server', text: 'GET /oauth2/auth', at },
  ])
}

function codePageOpened(run: Run, at: number): Run {
  if (run.messages.some(({ id }) => id === 'verify')) return run
  return withMessages(run, [
    { id: 'verify', from: 'browser', to: 'server', text: 'GET the page for the code', at },
  ])
}

/** What the server, the bridge and the identity provider did in the other window. */
function inferred(isDenied: boolean): Message[] {
  const common = { at: undefined, isInferred: true }
  return [
    { ...common, id: 'login', from: 'server', to: 'bridge', text: 'Who is it?' },
    { ...common, id: 'session', from: 'bridge', to: 'identity', text: 'Who is signed in?' },
    { ...common, id: 'signed in', from: 'identity', to: 'bridge', text: 'The person signed in' },
    { ...common, id: 'consent', from: 'bridge', to: 'browser', text: 'May it? (or remembered)' },
    isDenied
      ? { ...common, id: 'denied', from: 'bridge', to: 'server', text: 'No', isBad: true }
      : { ...common, id: 'granted', from: 'bridge', to: 'server', text: 'Signed in, agreed' },
  ]
}

function cameBack(run: Run, at: number, callback: Callback): Run {
  const { code, error } = callback
  const arrival: Message[] = [
    {
      id: 'redirect',
      from: 'server',
      to: 'browser',
      text: code === undefined ? `Redirect: ${error ?? 'no code'}` : 'Redirect: code, state',
      at,
      isBad: code === undefined,
    },
    { id: 'callback', from: 'browser', to: 'application', text: 'GET the callback', at },
  ]
  // Other refusals come before anybody is asked.
  const between = code !== undefined || error === 'access_denied' ? inferred(code === undefined) : []
  return withMessages({ ...run, callback }, [...between, ...arrival])
}

function sent(run: Run, { at, id, step, request }: Extract<RunEvent, { kind: 'sent' }>): Run {
  const exchange = { id, step, request, sentAt: at }
  const isAgain = step === 'poll' && run.exchanges.some(other => other.step === 'poll')
  const exchanges = isAgain ? run.exchanges.filter(other => other.step !== 'poll') : run.exchanges
  return withMessages({ ...run, exchanges: [...exchanges, exchange] }, [
    {
      id: `${id} request`,
      from: senderOf(run.flow),
      to: step === 'introspect' ? 'bridge' : 'server',
      text: requestText(step, request),
      at,
    },
  ])
}

function requestText(step: StepName, { method, url, form }: HttpRequest): string {
  const grant = form?.find(({ name }) => name === 'grant_type')?.value.replace(/^urn:.*:/, '')
  const what = step === 'reuse' ? 'old refresh_token' : grant
  return `${method} ${new URL(url).pathname}${what === undefined ? '' : ` · ${what}`}`
}

function answered(run: Run, id: string, at: number, answer: HttpAnswer | NoAnswer): Run {
  const exchange = run.exchanges.find(other => other.id === id)
  // Of a run that was begun again since.
  if (exchange === undefined) return run
  const { step } = exchange
  const exchanges = run.exchanges.map(other =>
    other.id === id ? { ...other, answer, answeredAt: at } : other,
  )
  const isDeviceDone = step === 'poll' && isGood(answer)
  const reply: Message = {
    id: `${id} answer`,
    from: step === 'introspect' ? 'bridge' : 'server',
    to: senderOf(run.flow),
    text: answerText(answer),
    at,
    isBad: !isGood(answer) && !isPending(answer),
  }
  const between = isDeviceDone ? beforeLast(run.messages, inferred(false)) : run.messages
  const after = withTokens({ ...run, exchanges, messages: [...between, reply] }, step, answer)
  return step === 'poll' && isPending(answer) ? { ...after, messages: folded(after.messages) } : after
}

/** The person said yes before the poll that got the tokens. */
function beforeLast(messages: readonly Message[], more: readonly Message[]): Message[] {
  return [...messages.slice(0, -1), ...more, ...messages.slice(-1)]
}

export function isPending(answer: HttpAnswer | NoAnswer): boolean {
  return ['authorization_pending', 'slow_down'].includes(textOf(answer, 'error') ?? '')
}

/** A poll that got the same as the one before it is counted there, or a patient device would fill the page. */
function folded(messages: readonly Message[]): readonly Message[] {
  const [earlierRequest, earlierAnswer, request, answer] = messages.slice(-4)
  if (!earlierRequest || !earlierAnswer || !request || !answer) return messages
  if (earlierRequest.text !== request.text || earlierAnswer.text !== answer.text) return messages
  const times = (earlierRequest.times ?? 1) + 1
  return [...messages.slice(0, -4), { ...request, times }, { ...answer, times }]
}

function answerText(answer: HttpAnswer | NoAnswer): string {
  if (hasFailed(answer)) return 'No readable answer'
  const { status, json } = answer
  const error = textOf(answer, 'error') ?? textOf(answer, 'code')
  if (error !== undefined) return `${status} · ${error}`
  if (json === undefined) return String(status)
  if (typeof json['active'] === 'boolean') return `${status} · active: ${json['active']}`
  const named = ['access_token', 'refresh_token', 'id_token', 'device_code', 'user_code', 'sub'].filter(
    name => name in json,
  )
  return named.length === 0 ? String(status) : `${status} · ${named.join(', ')}`
}

function withTokens(run: Run, step: StepName, answer: HttpAnswer | NoAnswer): Run {
  const access = textOf(answer, 'access_token')
  if (access === undefined || !isGood(answer)) return run
  const refresh = textOf(answer, 'refresh_token')
  const id = textOf(answer, 'id_token')
  const isRefreshed = step === 'refresh'
  return {
    ...run,
    tokens: isRefreshed
      ? { access, refresh: refresh ?? run.tokens?.refresh, id: id ?? run.tokens?.id }
      : { access, refresh, id },
    oldRefreshToken: isRefreshed && refresh !== undefined ? run.tokens?.refresh : run.oldRefreshToken,
    messages: isRefreshed ? run.messages : withSignInTime(run.messages, id),
  }
}

/** The ID token tells when the person signed in, to the second; it may have been long before this run. */
function withSignInTime(messages: readonly Message[], idToken: string | undefined): readonly Message[] {
  const reading = readJwt(idToken ?? '')
  const time = reading.kind === 'jwt' ? reading.payload['auth_time'] : undefined
  if (typeof time !== 'number') return messages
  return messages.map(message => (message.id === 'signed in' ? { ...message, at: time * 1_000 } : message))
}

function withMessages(run: Run, more: readonly Message[]): Run {
  return { ...run, messages: [...run.messages, ...more] }
}
