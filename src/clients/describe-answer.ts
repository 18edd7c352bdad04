// What the log may say of an answer that was not expected. Servers, and gateways before them, repeat what they were
// sent: so only words that are a refusal of the server's own are quoted, without what the call itself sent.

import * as z from 'zod'

/** The parts of an answer that are described; `sent` are the texts of the call, as `sentTexts` gives them. */
export interface DescribedAnswer {
  status: number
  headers: Headers
  text: string
  json: unknown
  sent?: readonly string[]
}

const WORDS_LENGTH_MAX = 300
/** Shorter texts are words of the protocol; masking them would leave nothing to read, and hide no secret of ours. */
const SECRET_LENGTH_MIN = 8

/**
 * One line for the log. What the server shortened or encoded in a way of its own before repeating it is not
 * recognised.
 */
export function describeAnswer({ status, headers, text, json, sent = [] }: DescribedAnswer): string {
  const facts = `status ${status}, ${headers.get('content-type') ?? 'no content type'}, ${text.length} characters`
  const words = status < 400 ? undefined : refusalWords(json)
  return words === undefined ? facts : `${facts}: ${masked(words, sent).slice(0, WORDS_LENGTH_MAX)}`
}

/** The texts of a call that may be secrets, wherever they stand in it; of its cookies each by itself too. */
export function sentTexts(call: {
  token: string | undefined
  headers: Readonly<Record<string, string>> | undefined
  query: unknown
  form: unknown
  json: unknown
}): string[] {
  const cookies = call.headers?.['cookie']?.split(';') ?? []
  const cookieValues = cookies.map(pair => pair.slice(pair.indexOf('=') + 1).trim())
  return [...textsIn(call), ...cookieValues].filter(text => text.length >= SECRET_LENGTH_MIN)
}

/** `{error, error_description}` of the OAuth2 server, `{error: {message, reason}}` of the identity provider. */
const Refusal = z.union([
  z
    .object({ error: z.string(), error_description: z.string().optional() })
    .transform(({ error, error_description }) => [error, error_description]),
  z
    .object({ error: z.object({ message: z.string().optional(), reason: z.string().optional() }) })
    .transform(({ error }) => [error.message, error.reason]),
])

function refusalWords(json: unknown): string | undefined {
  const words = Refusal.safeParse(json).data?.filter(word => word !== undefined && word !== '')
  return words === undefined || words.length === 0 ? undefined : words.join(', ')
}

/** Longer texts first: one may hold another. */
function masked(words: string, sent: readonly string[]): string {
  const forms = sent.flatMap(text => [text, formEncoded(text), JSON.stringify(text).slice(1, -1)])
  return [...new Set(forms)]
    .sort((a, b) => b.length - a.length)
    .reduce((rest, form) => rest.replaceAll(form, '***'), words)
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
