// Files on their way into a bucket: a few at once, each with what became of it.

import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError } from '../../../../api/errors.ts'
import { bytesText } from '../../../../parts/bytes.ts'
import { type Bucket, readAgain } from '../../queries.ts'
import { sendFile } from './send-file.ts'

const AT_ONCE = 3

/** A file, and where it was in what was dropped: `photos/ada.png`. */
export interface FoundFile {
  path: string
  file: File
}

export interface Upload {
  id: number
  name: string
  file: File
  /** `exists`: the name is taken, and somebody must say what to do. */
  state: 'waiting' | 'sending' | 'done' | 'exists' | 'failed'
  /** True once somebody has said so. */
  replace: boolean
  sentBytes: number
  error: Error | null
}

export interface Uploads {
  uploads: readonly Upload[]
  isRunning: boolean
  add: (files: readonly FoundFile[]) => void
  /** Sends again those that failed, or in place of what is there. */
  send: (ids: readonly number[], options: { replace: boolean }) => void
  /** Takes them off the list; those on their way are stopped. */
  remove: (ids: readonly number[]) => void
}

export function useUploads({ id: bucket, file_size_limit: limit }: Bucket): Uploads {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const sending = useRef(new Map<number, AbortController>())
  const nextId = useRef(0)

  const change = useCallback((ids: readonly number[], changed: Partial<Upload>) => {
    setUploads(all => all.map(upload => (ids.includes(upload.id) ? { ...upload, ...changed } : upload)))
  }, [])

  const start = useCallback(
    async ({ id, name, file, replace }: Upload) => {
      const controller = new AbortController()
      sending.current.set(id, controller)
      change([id], { state: 'sending', sentBytes: 0, error: null })
      const onProgress = (sentBytes: number) => change([id], { sentBytes })
      try {
        await sendFile({ bucket, name, file, replace, signal: controller.signal, onProgress })
        change([id], { state: 'done' })
      } catch (err) {
        const error = err instanceof Error ? err : new Error(String(err))
        const isTaken = error instanceof ApiError && error.code === 'object_exists'
        change([id], { state: isTaken ? 'exists' : 'failed', error })
      } finally {
        sending.current.delete(id)
      }
    },
    [bucket, change],
  )

  useEffect(() => {
    const waiting = uploads.filter(({ state, id }) => state === 'waiting' && !sending.current.has(id))
    for (const upload of waiting.slice(0, Math.max(0, AT_ONCE - sending.current.size))) void start(upload)
  }, [uploads, start])

  const isRunning = uploads.some(({ state }) => state === 'waiting' || state === 'sending')
  const wasRunning = useRef(false)
  useEffect(() => {
    if (wasRunning.current && !isRunning) void readAgain()
    wasRunning.current = isRunning
  }, [isRunning])

  useEffect(() => {
    const { current } = sending
    return () => {
      for (const controller of current.values()) controller.abort()
    }
  }, [])

  return {
    uploads,
    isRunning,
    add: files => {
      const added = files.map(({ path, file }): Upload => {
        nextId.current += 1
        const problem = limit !== null && file.size > limit ? tooLarge(file.size, limit) : null
        const state = problem === null ? 'waiting' : 'failed'
        return { id: nextId.current, name: path, file, state, replace: false, sentBytes: 0, error: problem }
      })
      setUploads(all => [...all, ...added])
    },
    send: (ids, { replace }) => change(ids, { state: 'waiting', replace, error: null }),
    remove: ids => {
      for (const id of ids) sending.current.get(id)?.abort()
      setUploads(all => all.filter(({ id }) => !ids.includes(id)))
    },
  }
}

function tooLarge(bytes: number, limit: number): Error {
  return new Error(`It has ${bytesText(bytes)}; this bucket takes files of at most ${bytesText(limit)}.`)
}
