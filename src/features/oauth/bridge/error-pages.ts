// Errors for people: our own, in place of their JSON, and the OAuth2 server's, which it sends browsers to us with.
// What is shown of the latter was written by whoever made the address: it is text, bounded, and never a link.

import { type BridgeAnswer, pageAnswer } from './answers.ts'
import type { BridgeDeps } from './bridge-deps.ts'
import { BridgeError } from './bridge-error.ts'
import { errorText } from './error-texts.ts'
import type { Brand } from './pages/frame.ts'
import type { MessageView } from './pages/message-page.tsx'

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

/** GET bridge/error: why the OAuth2 server could not send the browser back to the application. */
export async function showServerError(
  { config }: Pick<BridgeDeps, 'config'>,
  query: { error?: string | undefined; error_description?: string | undefined },
): Promise<BridgeAnswer> {
  const view: MessageView = {
    mood: 'bad',
    title: 'The application’s request was refused',
    text: 'It asked for something in a way that is not allowed.',
    advice: 'Go back to it and try again. If it stays, tell whoever runs it, with the words below.',
    reference: [
      bounded(query.error, ERROR_LENGTH_MAX),
      bounded(query.error_description, DESCRIPTION_LENGTH_MAX) ?? 'The OAuth2 server gave no reason.',
    ],
  }
  const { renderMessagePage } = await import('./pages/message-page.tsx')
  return pageAnswer(config.brand, frame => renderMessagePage(view, frame), { status: 400 })
}

function bounded(text: string | undefined, lengthMax: number): string | undefined {
  if (!text) return undefined
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax)}…`
}
