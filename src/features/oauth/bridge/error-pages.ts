// Errors for people: our own, in place of their JSON, and the OAuth2 server's, which it sends browsers to us with.
// What is shown of the latter was written by whoever made the address: it is text, bounded, and never a link.

import type { PublicDocuments } from '../documents/public-documents.ts'
import { type BridgeAnswer, pageAnswer } from './answers.ts'
import { BridgeError } from './bridge-error.ts'
import { errorText } from './error-texts.ts'
import type { Brand } from './pages/frame.ts'
import type { MessageView } from './pages/message-page.tsx'
import { webUrl } from './request-url.ts'

export interface BridgeErrorInput {
  status: number
  error: { error: string; code: string; detail: string | null; hint: string | null; request_id: string }
  brand: Brand
  request: { method: string; url: string }
  cause: unknown
}

/** The page of an error of ours: what happened, what to do, and a way on where there is one. */
export async function bridgeErrorPage(input: BridgeErrorInput): Promise<BridgeAnswer> {
  const { status, error, brand } = input
  const { title, text, advice } = errorText(error.code)
  const view: MessageView = {
    mood: 'bad',
    title,
    text,
    advice,
    link: wayOn(input),
    reference: [`${error.code} · ${error.request_id}`, error.error, error.detail],
  }
  const { renderMessagePage } = await import('./pages/message-page.tsx')
  return pageAnswer(brand, frame => renderMessagePage(view, frame), { status })
}

/** Where the flow began; else, for a failure that may pass, the same address once more. */
function wayOn({ status, error, request, cause }: BridgeErrorInput): MessageView['link'] {
  const restartUrl = cause instanceof BridgeError ? cause.restartUrl : undefined
  if (restartUrl !== undefined)
    return { url: restartUrl, text: errorText(error.code).button ?? 'Start again' }
  const mayPass = (status >= 500 && status !== 501) || status === 429
  if (!mayPass || request.method !== 'GET') return undefined
  // Without the host: behind a proxy ours is not the one that the browser knows.
  const { pathname, search } = new URL(request.url)
  return { url: `${pathname}${search}`, text: 'Try again' }
}

const ERROR_LENGTH_MAX = 100
const DESCRIPTION_LENGTH_MAX = 1_000

export interface ServerErrorDeps {
  config: Brand
  oauthDocuments: Pick<PublicDocuments, 'discovery'>
}

interface ServerErrorQuery {
  error?: string | undefined
  error_description?: string | undefined
}

/** GET bridge/error: why the OAuth2 server could not send the browser back to the application. */
export async function showServerError(
  { config, oauthDocuments }: ServerErrorDeps,
  query: ServerErrorQuery,
): Promise<BridgeAnswer> {
  const view: MessageView = {
    mood: 'bad',
    ...(isAboutSigningOut(query) ? await signOutHere(oauthDocuments) : REFUSED),
    reference: [
      bounded(query.error, ERROR_LENGTH_MAX),
      bounded(query.error_description, DESCRIPTION_LENGTH_MAX) ?? 'The OAuth2 server gave no reason.',
    ],
  }
  const { renderMessagePage } = await import('./pages/message-page.tsx')
  return pageAnswer(config, frame => renderMessagePage(view, frame), { status: 400 })
}

const REFUSED = {
  title: 'The application’s request was refused',
  text: 'It asked for something in a way that is not allowed.',
  advice: 'Go back to it and try again. If it stays, tell whoever runs it, with the words below.',
}

/**
 * The server's words for a sign-out that it refuses. An ID token that it cannot read, as after a rotation of its keys,
 * it gives back as its library's: with a request to sign in such words go to the application.
 */
const SIGN_OUT_WORDS = /\blogout failed\b|\bid_token_hint\b|\bgo-jose\b|\bdecode token\b|\btoken used before/i

function isAboutSigningOut({ error, error_description = '' }: ServerErrorQuery): boolean {
  return error === 'invalid_request' && SIGN_OUT_WORDS.test(error_description)
}

/** The way out: without an ID token the server goes by the browser's session, and asks first. */
async function signOutHere(documents: ServerErrorDeps['oauthDocuments']) {
  const found = await documents.discovery().catch(() => undefined)
  const address = found?.['end_session_endpoint']
  const url = typeof address === 'string' ? webUrl(address) : undefined
  return {
    title: 'The application could not sign you out',
    text: 'What it knows of your sign-in is not accepted, perhaps because it is too old.',
    advice:
      url === undefined
        ? 'Tell whoever runs this service, with the words below.'
        : 'You can sign out here instead. You will not get back to the application by itself.',
    link: url === undefined ? undefined : { url, text: 'Sign out' },
  }
}

function bounded(text: string | undefined, lengthMax: number): string | undefined {
  if (!text) return undefined
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax)}…`
}
