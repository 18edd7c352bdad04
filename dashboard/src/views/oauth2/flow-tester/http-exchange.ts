// A request as this page or a device sends it, what came back, and the same request for a terminal. Pure.

/** `isSecret` marks the client's own secret: it is shown on request only. */
export interface Pair {
  name: string
  value: string
  isSecret?: boolean
}

export interface HttpRequest {
  method: 'GET' | 'POST'
  url: string
  headers: readonly Pair[]
  /** Sent as application/x-www-form-urlencoded. */
  form?: readonly Pair[]
  json?: Readonly<Record<string, unknown>>
}

export interface HttpAnswer {
  status: number
  headers: readonly Pair[]
  text: string
  /** Undefined where the text is no JSON object. */
  json: Readonly<Record<string, unknown>> | undefined
}

/** In place of an answer: none came, or none that this page may read. */
export interface NoAnswer {
  failure: 'cross-origin' | 'unreachable'
}

export function hasFailed(answer: HttpAnswer | NoAnswer): answer is NoAnswer {
  return 'failure' in answer
}

export function isGood(answer: HttpAnswer | NoAnswer): answer is HttpAnswer {
  return !hasFailed(answer) && answer.status >= 200 && answer.status < 300
}

/** A field of the answer that must be text. */
export function textOf(answer: HttpAnswer | NoAnswer, field: string): string | undefined {
  const value = hasFailed(answer) ? undefined : answer.json?.[field]
  return typeof value === 'string' ? value : undefined
}

/** The text as a JSON object, if it is one. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

export function formText(form: readonly Pair[]): string {
  return new URLSearchParams(form.map(({ name, value }): [string, string] => [name, value])).toString()
}

/** For a POSIX shell, secrets included: whoever copies it means to run it. */
export function curlOf({ method, url, headers, form, json }: HttpRequest): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`,
    ...headers.map(({ name, value }) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(form ?? []).map(({ name, value }) => `--data-urlencode ${quoted(`${name}=${value}`)}`),
    ...(json === undefined ? [] : [`--data ${quoted(JSON.stringify(json))}`]),
  ]
  return lines.join(' \\\n  ')
}

/** Single quotes keep everything but themselves. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
