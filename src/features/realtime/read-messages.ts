// The messages of a broadcast over HTTP, out of its body. Payloads stay as they were written: numbers keep their
// digits.

import type * as z from 'zod'
import { DomainError } from '../../errors.ts'
import { JSON_DEPTH_MAX, JsonProblem, JsonScanner } from '../../lib/json-scan.ts'
import { isBlank } from '../../lib/utf8.ts'
import type { HubBroadcast } from './hub/hub-contract.ts'
import { elementTexts, memberTexts } from './json-pieces.ts'
import { type Broadcasts, Event, Topic } from './schemas.ts'

/** `text` is the body that `messages` were read out of. */
export function readMessages(
  text: string,
  messages: z.output<typeof Broadcasts>['messages'],
): HubBroadcast[] {
  const elements = elementTexts(memberTexts(text).get('messages') ?? '[]')
  return messages.map(({ topic, event, private: isPrivate }, index) => {
    const json = memberTexts(elements[index] ?? '{}').get('payload')
    if (json === undefined)
      throw new DomainError('validation_failed', `messages.${index}.payload: is missing`)
    return { topic, event, isPrivate, payload: { encoding: 'json', json } }
  })
}

const BYTES = /^application\/octet-stream\s*(;|$)/i
const JSON_TYPES = /^application\/json\s*(;|$)/i
const VALUES_MAX = 50_000

interface SentMessage {
  readonly params: { readonly topic: string; readonly event: string }
  readonly isPrivate: boolean
  readonly contentType: string | null
  /** As it came; and checked to be UTF-8. */
  readonly readRawBytes: () => Promise<Uint8Array>
  readonly readBodyBytes: () => Promise<Uint8Array>
}

/** The message of a request that names topic and event in its path. Throws `validation_failed` and `invalid_body`. */
export async function readMessage(sent: SentMessage): Promise<HubBroadcast> {
  const topic = named('topic', Topic, sent.params.topic)
  const event = named('event', Event, sent.params.event)
  const { isPrivate, contentType: type } = sent
  if (type !== null && BYTES.test(type))
    return { topic, event, isPrivate, payload: { encoding: 'binary', bytes: await sent.readRawBytes() } }
  if (type !== null && !JSON_TYPES.test(type)) {
    throw new DomainError('unsupported_media_type', 'Use application/json or application/octet-stream.')
  }
  return { topic, event, isPrivate, payload: { encoding: 'json', json: jsonOf(await sent.readBodyBytes()) } }
}

function named(name: string, schema: z.ZodType<string>, text: string): string {
  const { data, error } = schema.safeParse(text)
  if (error === undefined) return data
  throw new DomainError('validation_failed', `path.${name}: ${error.issues[0]?.message ?? 'not valid'}`)
}

function jsonOf(bytes: Uint8Array): string {
  if (isBlank(bytes)) return '{}'
  try {
    const scanner = new JsonScanner(bytes, { depthMax: JSON_DEPTH_MAX, valuesMax: VALUES_MAX })
    scanner.passValue()
    scanner.passEnd()
  } catch (err) {
    if (!(err instanceof JsonProblem)) throw err
    throw new DomainError('invalid_body', `The body is not JSON that can be sent: ${err.message}.`)
  }
  return new TextDecoder().decode(bytes)
}
