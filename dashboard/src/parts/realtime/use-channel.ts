// A channel for as long as a page shows it.

import { useEffect, useEffectEvent, useRef, useState } from 'react'
import {
  type ChannelAsked,
  type ChannelState,
  type Hearing,
  type OpenChannel,
  openChannel,
} from './channel.ts'

const OFF: ChannelState = { kind: 'off' }

export interface UsedChannel {
  readonly state: ChannelState
  /** Asks again: after a refusal, or before the next attempt is due. */
  readonly again: () => void
  /** Throws where it was not taken. */
  readonly send: OpenChannel['send']
}

/** Hears what is asked, which may be nothing. Another question closes the channel of the one before. */
export function useChannel(asked: ChannelAsked | undefined, hear: Omit<Hearing, 'state'>): UsedChannel {
  const [state, setState] = useState(OFF)
  const [attempt, setAttempt] = useState(0)
  const opened = useRef<OpenChannel>(undefined)
  const on = {
    change: useEffectEvent<NonNullable<Hearing['change']>>(change => hear.change?.(change)),
    broadcast: useEffectEvent<NonNullable<Hearing['broadcast']>>((...all) => hear.broadcast?.(...all)),
    presence: useEffectEvent<NonNullable<Hearing['presence']>>((...all) => hear.presence?.(...all)),
    refetch: useEffectEvent((reason: string | undefined) => hear.refetch?.(reason)),
    notice: useEffectEvent((message: string) => hear.notice?.(message)),
  }
  const question = asked === undefined ? undefined : JSON.stringify(asked)
  // biome-ignore lint/correctness/useExhaustiveDependencies: an attempt asks the same again
  useEffect(() => {
    if (question === undefined) return
    const channel = openChannel(JSON.parse(question), { ...on, state: setState })
    opened.current = channel
    return () => {
      opened.current = undefined
      channel[Symbol.dispose]()
      setState(OFF)
    }
  }, [question, attempt])
  const send: OpenChannel['send'] = async (event, payload) => {
    if (opened.current === undefined) throw new Error('Nothing was sent: the channel is not open.')
    await opened.current.send(event, payload)
  }
  return { state, again: () => setAttempt(attempt + 1), send }
}
