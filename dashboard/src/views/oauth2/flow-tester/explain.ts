// What a refusal of the OAuth2 server means here, and what to do. Pure. The server's own words stand beside it.

import type { HttpAnswer, NoAnswer } from './http-exchange.ts'
import { hasFailed, textOf } from './http-exchange.ts'

/** What is known where the refusal came up. */
export interface Circumstances {
  client: {
    client_id: string
    client_name: string
    grant_types: readonly string[]
    scope: string
    audience: readonly string[]
    redirect_uris: readonly string[]
    token_endpoint_auth_method: string
  }
  redirectUri: string
  asked: { scope: string; audience: string }
  /** Of this page, as the server must allow it. */
  origin: string
  server: string
}

export interface Explanation {
  title: string
  /** The server's sentence, as it is. */
  said?: string | undefined
  what: string
  /** Things the sentence is about: what is registered, what may be asked for. */
  list?: readonly string[]
  /** Whether the client's own page is where it is mended. */
  isOfClient?: boolean
}

/** Undefined for an answer that is no refusal, and for one that only says "not yet". */
export function explainAnswer(
  answer: HttpAnswer | NoAnswer,
  circumstances: Circumstances,
): Explanation | undefined {
  if (hasFailed(answer)) return explainFailure(answer, circumstances)
  if (answer.status < 400) return undefined
  const error = textOf(answer, 'error')
  if (error === 'authorization_pending' || error === 'slow_down') return undefined
  return explainError(error ?? String(answer.status), textOf(answer, 'error_description'), circumstances)
}

function explainFailure({ failure }: NoAnswer, { origin, server }: Circumstances): Explanation {
  if (failure === 'unreachable')
    return { title: 'No answer', what: `${server} does not answer. Is it running, and is this its address?` }
  return {
    title: 'The browser may not read the answer',
    what:
      `The OAuth2 server is there, but does not let pages of ${origin} call it. In its configuration ` +
      'serve.public.cors must be enabled and allow:',
    list: [origin],
  }
}

/** An error code of RFC 6749, OpenID Connect or RFC 8628, at any endpoint. */
export function explainError(
  error: string,
  said: string | undefined,
  circumstances: Circumstances,
): Explanation {
  const { client, redirectUri, asked } = circumstances
  const title = `The server refused: ${error}`
  const words = (text: string) => text.split(' ').filter(Boolean)
  switch (error) {
    case 'invalid_scope': {
      const allowed = words(client.scope)
      const extra = words(asked.scope).filter(word => !allowed.includes(word))
      const which = extra.length > 0 ? `${extra.join(', ')} is not among the client's scopes. ` : ''
      return { title, said, what: `${which}It may ask for:`, list: allowed, isOfClient: true }
    }
    case 'invalid_client':
      return {
        title,
        said,
        what:
          'The client could not prove who it is: its id is unknown, its secret is wrong, or it came another way ' +
          `than the client is registered for (${client.token_endpoint_auth_method}).`,
        isOfClient: true,
      }
    case 'unauthorized_client':
      return {
        title,
        said,
        what: 'The client may not use this grant. It has:',
        list: client.grant_types,
        isOfClient: true,
      }
    case 'unsupported_response_type':
      return { title, said, what: 'The client is not registered for response type “code”.', isOfClient: true }
    case 'invalid_grant':
      return {
        title,
        said,
        what:
          'What was handed in is no longer good: used before, expired, revoked, of another client, with another ' +
          'redirect URI, or without the right code_verifier.',
      }
    case 'redirect_uri_mismatch':
    case 'invalid_request':
      if (!client.redirect_uris.includes(redirectUri) || /redirect_ur[il]/i.test(said ?? ''))
        return { title, said, what: WRONG_REDIRECT_URI, list: client.redirect_uris, isOfClient: true }
      if (/audience/i.test(said ?? ''))
        return {
          title,
          said,
          what: 'The client may ask for these audiences:',
          list: client.audience,
          isOfClient: true,
        }
      return { title, said, what: 'A parameter is missing or wrong; the sentence above says which.' }
    case 'access_denied':
      return { title, said, what: 'The person said no, or the consent screen was refused for them.' }
    case 'login_required':
      return { title, said, what: 'prompt=none forbids to ask, but nobody is signed in. Leave prompt out.' }
    case 'consent_required':
    case 'interaction_required':
      return {
        title,
        said,
        what: 'prompt=none forbids to ask, but this person has not agreed yet. Leave prompt out.',
      }
    case 'expired_token':
      return {
        title,
        said,
        what: 'The device code has expired before somebody typed in its user code. Ask for new ones.',
      }
    case 'invalid_token':
    case 'request_unauthorized':
      return {
        title,
        said,
        what: 'The access token is not good any more: expired, revoked, or its grant has ended.',
      }
    default:
      return { title, said, what: 'The sentence above is all that the server says.' }
  }
}

export const WRONG_REDIRECT_URI =
  'The redirect URI must be, letter for letter, one that the client has registered. These are:'
