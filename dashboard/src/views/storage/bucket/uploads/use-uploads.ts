// Files on their way into a bucket: a few at once, each with what became of it.

import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError } from '../../../../api/errors.ts'
import { type Bucket, readAgain } from '../../queries.ts'
import { refusalOf } from './refusal.ts'
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
  /** Sends again those that failed; with `replace` in place of what is there. */
  send: (ids: readonly number[], options?: { replace: true }) => void
  /** Takes them off the list; those on their way are stopped. */
  remove: (ids: readonly number[]) => void
}

export function useUploads(limits: Bucket): Uploads {
  const { id: bucket } = limits
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
      const onProgress = (sentBytes: number) => change([id], { state: 'sending', sentBytes })
      const onWait = () => change([id], { state: 'waiting', sentBytes: 0 })
      try {
        const { signal } = controller
        await sendFile({ bucket, name, file, replace, signal, onProgress, onWait })
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
        const error = refusalOf(file, limits)
        const state = error === null ? 'waiting' : 'failed'
        return { id: nextId.current, name: path, file, state, replace: false, sentBytes: 0, error }
      })
      setUploads(all => [...all, ...added])
    },
    send: (ids, options) => change(ids, { ...options, state: 'waiting', error: null }),
    remove: ids => {
      for (const id of ids) sending.current.get(id)?.abort()
      setUploads(all => all.filter(({ id }) => !ids.includes(id)))
    },
  }
}

/** What is too large or of a wrong type stays so. */
export function mayTryAgain(error: Error | null): boolean {
  return error instanceof ApiError && ![400, 413, 415].includes(error.status)
}
