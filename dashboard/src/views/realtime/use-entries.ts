// Collects what comes, and shows it a few times a second: hundreds a second must not draw the page as often.

import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { type Came, ENTRIES_MAX, type Entry, withEntries } from './entries.ts'

const DRAWN_EVERY_MS = 250

export interface Entries {
  readonly shown: readonly Entry[]
  /** How many have come while nothing new is shown; as many as are kept, at most. */
  readonly waiting: number
  readonly isPaused: boolean
  readonly add: (came: Came) => void
  readonly pause: (isPaused: boolean) => void
  readonly clear: () => void
}

export function useEntries(): Entries {
  const [shown, setShown] = useState<readonly Entry[]>([])
  const [waiting, setWaiting] = useState(0)
  const [isPaused, setPaused] = useState(false)
  const came = useRef<Entry[]>([])
  const count = useRef(0)
  const draw = useEffectEvent(() => {
    if (isPaused) return setWaiting(came.current.length)
    const more = came.current
    came.current = []
    setWaiting(0)
    setShown(present => withEntries(present, more))
  })
  useEffect(() => {
    const timer = setInterval(draw, DRAWN_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return {
    shown,
    waiting,
    isPaused,
    add: each => {
      came.current.push({ ...each, number: count.current++ })
      if (came.current.length > ENTRIES_MAX) came.current.shift()
    },
    pause: setPaused,
    clear: () => {
      came.current = []
      setShown([])
    },
  }
}
