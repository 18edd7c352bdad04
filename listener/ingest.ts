/**
 * Owns one request to the Worker's ingest route: its body, its signature, its time limit. Never rejects and never
 * repeats: what follows from the outcome is the relay's to decide.
 */
import { signIngest } from '../src/features/row-changes/ingest/ingest-signature.ts'
import { type IngestOutcome, readIngestAnswer } from './ingest-answer.ts'

export interface IngestTarget {
  readonly url: URL
  /** At least `SECRET_BYTES_MIN` bytes. */
  readonly secret: string
  readonly timeoutMs: number
}

/** The texts of the chunks of each message. */
export type MessageTexts = readonly (readonly string[])[]

export type SendMessages = (
  registryVersion: number,
  messages: MessageTexts,
  stopped: AbortSignal,
) => Promise<IngestOutcome>

const ANSWER_BYTES_MAX = 16 * 1024

export function makeSender({ url, secret, timeoutMs }: IngestTarget): SendMessages {
  const path = `${url.pathname}${url.search}`
  return async (registryVersion, messages, stopped) => {
    const body = new TextEncoder().encode(requestText(registryVersion, messages))
    const timestampSeconds = Math.floor(Date.now() / 1_000)
    try {
      const signature = await signIngest(secret, timestampSeconds, { method: 'POST', path, body })
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signature },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([stopped, AbortSignal.timeout(timeoutMs)]),
      })
      const answer = await readBeginning(response)
      return readIngestAnswer(response.status, response.headers.get('retry-after'), answer, Date.now())
    } catch (err) {
      return { outcome: 'unavailable', reason: reasonOf(err), askedMs: 0 }
    }
  }
}

/** The chunks are JSON already: making text of them once is enough. */
function requestText(registryVersion: number, messages: MessageTexts): string {
  const parts = messages.map(chunks => `{"chunks":[${chunks.join(',')}]}`)
  return `{"registry_version":${registryVersion},"messages":[${parts.join(',')}]}`
}

/** An answer is short; of a longer one the rest is not taken. */
async function readBeginning(response: Response): Promise<string> {
  if (response.body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of response.body) {
    text += decoder.decode(part, { stream: true })
    if (text.length > ANSWER_BYTES_MAX) break
  }
  return text
}

/** What fetch threw, with the cause that it hides. */
function reasonOf(err: unknown): string {
  if (!(err instanceof Error)) return 'unknown'
  const cause = err.cause instanceof Error && 'code' in err.cause ? `: ${String(err.cause.code)}` : ''
  return `${err.name}${cause}`
}
