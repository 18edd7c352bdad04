// An import as it runs: packet after packet, each all or none. One that fails is noted, and the others go on.

import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../../api/errors.ts'
import { PACKET_SIZE, tuplesChanged } from '../../../parts/tuples/queries.ts'
import { importPacket } from '../queries.ts'
import type { ImportEntry } from './read-import.ts'

export interface FailedPacket {
  entries: readonly ImportEntry[]
  error: Error
}

export interface ImportProgress {
  total: number
  sent: number
  imported: number
  duplicates: number
  failed: readonly FailedPacket[]
  isRunning: boolean
  isStopped: boolean
}

export function useImport() {
  const [progress, setProgress] = useState<ImportProgress>()
  const stop = useRef(false)
  const stopSending = () => {
    stop.current = true
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the dialog goes
  useEffect(() => stopSending, [])

  async function start(entries: readonly ImportEntry[]): Promise<void> {
    stop.current = false
    let now: ImportProgress = {
      total: entries.length,
      sent: 0,
      imported: 0,
      duplicates: 0,
      failed: [],
      isRunning: true,
      isStopped: false,
    }
    setProgress(now)
    for (let from = 0; from < entries.length && !stop.current; from += PACKET_SIZE) {
      const packet = entries.slice(from, from + PACKET_SIZE)
      try {
        const answer = await importPacket(packet.flatMap(({ tuple }) => tuple ?? []))
        now = {
          ...now,
          imported: now.imported + answer.imported,
          duplicates: now.duplicates + answer.skipped_duplicates,
        }
      } catch (err) {
        const error = err instanceof Error ? err : new Error(String(err))
        now = { ...now, failed: [...now.failed, { entries: packet, error }] }
        // What is wrong with one packet need not be with the next; a server that is not there is.
        if (!(error instanceof ApiError) || error.status === 0 || error.status === 401) stopSending()
      }
      now = { ...now, sent: now.sent + packet.length }
      setProgress(now)
    }
    setProgress({ ...now, isRunning: false, isStopped: now.sent < now.total })
    await tuplesChanged()
  }

  return {
    progress,
    start,
    /** The packet that is on its way arrives. */
    stop: stopSending,
    reset: () => setProgress(undefined),
  }
}
