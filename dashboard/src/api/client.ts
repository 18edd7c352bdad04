// The one client of `/api`. Paths and shapes come from docs/openapi.json: none is written here or in a view.

import createClient from 'openapi-fetch'
import type { paths } from '../../../build/api.js'
import { API_URL } from './addresses.ts'
import { errorOf, unreachable } from './errors.ts'

export type { Schema } from './schema.ts'

/** Under `/api` nothing else answers this. */
const NO_SESSION = 401

/** `no-session` comes with each answer that found none, whoever asked: a query, or a form by itself. */
export const apiEvents = new EventTarget()

function clientWithin(timeoutMs: number) {
  return createClient<paths>({
    baseUrl: API_URL,
    credentials: 'include',
    fetch: async request => {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)])
      try {
        const answer = await fetch(request, { signal })
        if (answer.status === NO_SESSION) apiEvents.dispatchEvent(new Event('no-session'))
        return answer
      } catch (err) {
        // Query gives up calls whose answer nobody waits for any more; that is no error of the server's.
        if (request.signal.aborted) throw err
        throw unreachable(err)
      }
    },
  })
}

/** `api.GET('/api/...', { params })`. Wrap each call in `answerOf`: by itself it does not throw. */
export const api = clientWithin(60_000)

/** For work that may take minutes: a migration, a statement without a limit of its own. */
export const patientApi = clientWithin(15 * 60_000)

/** The body of a good answer. Throws `ApiError`. */
export async function answerOf<Body>(
  call: Promise<{ data?: Body; error?: unknown; response: Response }>,
): Promise<Body> {
  try {
    const { data, error, response } = await call
    if (!response.ok) throw errorOf(response.status, error)
    return data as Body
  } catch (err) {
    // A good answer that is no JSON is none of Quoin's.
    throw err instanceof SyntaxError ? errorOf(200, undefined) : err
  }
}
