// Sends the requests of a run: to the OAuth2 server from this page itself, and through Quoin what that server does not
// let pages do.

import { OAUTH_PUBLIC_URL } from '../../../api/addresses.ts'
import { answerOf, api, type Schema } from '../../../api/client.ts'
import { ApiError } from '../../../api/errors.ts'
import { type HttpAnswer, type HttpRequest, jsonObject, type NoAnswer } from './http-exchange.ts'

const TIMEOUT_MS = 30_000

/** To the OAuth2 server, without cookies. */
export async function sendToServer({
  method,
  url,
  headers,
  form,
}: HttpRequest): Promise<HttpAnswer | NoAnswer> {
  try {
    const answer = await fetch(url, {
      method,
      headers: headers.map(({ name, value }): [string, string] => [name, value]),
      ...(form && {
        body: new URLSearchParams(form.map(({ name, value }): [string, string] => [name, value])),
      }),
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return read(answer)
  } catch {
    return { failure: (await isThere()) ? 'cross-origin' : 'unreachable' }
  }
}

/** Browsers do not tell a page why it got nothing. An answer that it may not read still shows that one came. */
async function isThere(): Promise<boolean> {
  try {
    await fetch(`${OAUTH_PUBLIC_URL}/.well-known/openid-configuration`, {
      mode: 'no-cors',
      credentials: 'omit',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return true
  } catch {
    return false
  }
}

async function read(answer: Response): Promise<HttpAnswer> {
  const text = await answer.text()
  return {
    status: answer.status,
    headers: [...answer.headers].map(([name, value]) => ({ name, value })),
    text,
    json: jsonObject(text),
  }
}

/** What a device's first request gets; Quoin asks in the page's place, since that endpoint has no CORS. */
export function sendDeviceRequest(body: Schema<'DeviceAuthorizationIn'>): Promise<HttpAnswer | NoAnswer> {
  return throughQuoin(async () => {
    const answer = await answerOf(api.POST('/api/oauthsrv/device-authorization', { body }))
    return { status: answer.status, json: answer.body }
  })
}

export function sendIntrospection(token: string): Promise<HttpAnswer | NoAnswer> {
  return throughQuoin(async () => ({
    status: 200,
    json: await answerOf(api.POST('/api/oauthsrv/introspect', { body: { token } })),
  }))
}

/** An error of Quoin's own is an answer of this run too. */
async function throughQuoin(
  call: () => Promise<{ status: number; json: Record<string, unknown> }>,
): Promise<HttpAnswer | NoAnswer> {
  const answerWith = (status: number, json: Record<string, unknown>): HttpAnswer => ({
    status,
    headers: [],
    text: JSON.stringify(json),
    json,
  })
  try {
    const { status, json } = await call()
    return answerWith(status, json)
  } catch (err) {
    if (!(err instanceof ApiError)) throw err
    if (err.requestId === null) return { failure: 'unreachable' }
    const { message, code, detail, hint, requestId } = err
    return answerWith(err.status, { error: message, code, detail, hint, request_id: requestId })
  }
}
