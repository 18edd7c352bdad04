// Sends one file. XMLHttpRequest tells how much of it has left; fetch does not.

import { apiEvents } from '../../../../api/client.ts'
import { ApiError, errorOf, unreachable } from '../../../../api/errors.ts'
import { inOurWords } from '../../error-words.ts'
import { fileUrl } from '../names.ts'
import { UNKNOWN_TYPE } from './refusal.ts'

/** 100 MB by a line of 0.5 Mbit/s; a file on its way is seen and can be stopped. */
const TIMEOUT_MS = 30 * 60_000

interface Sending {
  bucket: string
  name: string
  file: File
  /** False: a name that is taken fails with `object_exists`. */
  replace: boolean
  signal: AbortSignal
  onProgress: (sentBytes: number) => void
  /** There were too many requests: it is sent again in a while. */
  onWait: () => void
}

/** Of an answer 429 that does not say how long to wait. */
const WAIT_SECONDS = 10

/**
 * Throws `ApiError`; `AbortError` once the signal says so. Where too many requests have been made, it waits and sends
 * the file again: a thousand small files are more than a minute allows.
 */
export async function sendFile(sending: Sending): Promise<void> {
  for (;;) {
    const waitSeconds = await sendOnce(sending)
    if (waitSeconds === undefined) return
    sending.onWait()
    await delay(waitSeconds * 1_000, sending.signal)
  }
}

/** Answers the seconds to wait where there were too many requests; undefined: it is there. */
function sendOnce(sending: Sending): Promise<number | undefined> {
  const { bucket, name, file, replace, signal, onProgress } = sending
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const request = new XMLHttpRequest()
  request.open(replace ? 'PUT' : 'POST', fileUrl(bucket, name))
  request.withCredentials = true
  request.timeout = TIMEOUT_MS
  request.setRequestHeader('content-type', file.type || UNKNOWN_TYPE)
  request.upload.onprogress = ({ loaded }) => onProgress(loaded)
  request.onload = () => {
    const { status } = request
    if (status === 401) apiEvents.dispatchEvent(new Event('no-session'))
    if (status >= 200 && status < 300) resolve(undefined)
    else if (status === 429) resolve(Number(request.getResponseHeader('retry-after')) || WAIT_SECONDS)
    else reject(inOurWords(errorIn(status, jsonOf(request.responseText))))
  }
  request.onerror = () => reject(unreachable(new TypeError('The request failed.')))
  request.ontimeout = () => reject(unreachable(new DOMException('Too slow.', 'TimeoutError')))
  request.onabort = () => reject(new DOMException('Stopped.', 'AbortError'))
  signal.addEventListener('abort', () => request.abort(), { once: true })
  request.send(file)
  return promise
}

/** The platform in front of Quoin ends a body that is too large by itself, in words of its own. */
function errorIn(status: number, body: unknown): ApiError {
  if (status !== 413 || body !== undefined) return errorOf(status, body)
  return new ApiError(status, {
    error: 'It is larger than one request may be.',
    code: 'object_too_large',
    detail: null,
    hint: 'Send it by resumable upload, in parts: /storage/v1/upload/resumable.',
    request_id: null,
  })
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    const stop = () => {
      clearTimeout(timer)
      reject(new DOMException('Stopped.', 'AbortError'))
    }
    signal.addEventListener('abort', stop, { once: true })
  })
}

/** Undefined for what is no JSON: something in front of Quoin has answered. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
