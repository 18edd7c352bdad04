// Sends one file. XMLHttpRequest tells how much of it has left; fetch does not.

import { apiEvents } from '../../../../api/client.ts'
import { errorOf, unreachable } from '../../../../api/errors.ts'
import { fileUrl } from '../names.ts'

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
}

/** Throws `ApiError`; `AbortError` once the signal says so. */
export function sendFile({ bucket, name, file, replace, signal, onProgress }: Sending): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const request = new XMLHttpRequest()
  request.open(replace ? 'PUT' : 'POST', fileUrl(bucket, name))
  request.withCredentials = true
  request.timeout = TIMEOUT_MS
  request.setRequestHeader('content-type', file.type || 'application/octet-stream')
  request.upload.onprogress = ({ loaded }) => onProgress(loaded)
  request.onload = () => {
    const { status } = request
    if (status === 401) apiEvents.dispatchEvent(new Event('no-session'))
    if (status >= 200 && status < 300) resolve()
    else reject(errorOf(status, jsonOf(request.responseText)))
  }
  request.onerror = () => reject(unreachable(new TypeError('The request failed.')))
  request.ontimeout = () => reject(unreachable(new DOMException('Too slow.', 'TimeoutError')))
  request.onabort = () => reject(new DOMException('Stopped.', 'AbortError'))
  signal.addEventListener('abort', () => request.abort(), { once: true })
  request.send(file)
  return promise
}

/** Undefined for what is no JSON: something in front of Quoin has answered. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
