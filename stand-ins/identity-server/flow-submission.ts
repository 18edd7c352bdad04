// The body of a submitted form: fields by name, from a form or from JSON. Knows no flow.

import { isJsonObject, type Json, type JsonObject } from '../service/json.ts'
import type { RequestContext } from './context.ts'
import { mediaType } from './request-body.ts'

/** Nothing to read fields from; the sentence is a message of the flow. */
export class UnreadableForm extends Error {}

const TYPES = ['multipart/form-data', 'application/x-www-form-urlencoded', 'application/json']

/** The fields as nested JSON: `traits.name.first` of a form is `traits` → `name` → `first`. Throws `UnreadableForm`. */
export async function readForm(c: RequestContext): Promise<JsonObject> {
  const type = mediaType(c)
  if (type === 'multipart/form-data') return nest(await multipartEntries(c))
  const text = await c.req.text()
  if (text === '')
    throw new UnreadableForm(
      'Unable to decode HTTP Request Body because its HTTP Header "Content-Length" is zero.',
    )
  if (type === 'application/x-www-form-urlencoded') return nest([...new URLSearchParams(text)])
  if (type === 'application/json') return readJson(text)
  throw new UnreadableForm(
    `HTTP ${c.req.method} Request used unknown HTTP Header "Content-Type: ` +
      `${c.req.header('content-type') ?? ''}", only [${TYPES.join(' ')}] are supported.`,
  )
}

/** A text field; numbers and booleans become texts, anything else and a missing one the empty text. */
export function formText(form: JsonObject, name: string): string {
  const value = form[name]
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

function readJson(text: string): JsonObject {
  try {
    const value: Json = JSON.parse(text)
    if (isJsonObject(value)) return value
  } catch {
    // The same for a text that is no JSON as for JSON that is no object.
  }
  throw new UnreadableForm('Unable to decode form as JSON.')
}

async function multipartEntries(c: RequestContext): Promise<[string, string][]> {
  const form = await c.req.formData().catch(() => undefined)
  if (form === undefined) throw new UnreadableForm('Unable to decode the multipart form.')
  return [...form].flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  )
}

/** Empty fields count as left out, as a browser sends every field of a form. */
function nest(entries: readonly (readonly [string, string])[]): JsonObject {
  const form: JsonObject = Object.create(null)
  for (const [name, value] of entries) {
    if (value !== '') put(form, name.split('.'), value)
  }
  return { ...form }
}

function put(object: JsonObject, [key = '', ...rest]: readonly string[], value: string): void {
  if (rest.length === 0) {
    object[key] ??= value
    return
  }
  const next = object[key]
  const child: JsonObject = isJsonObject(next) ? next : Object.create(null)
  object[key] = child
  put(child, rest, value)
}
