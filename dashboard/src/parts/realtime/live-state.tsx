// How a channel does, in words. Whoever shows it puts it into a `status`.

import { Button } from '@cloudflare/kumo'
import { ErrorNotice } from '../error-notice.tsx'
import { State, type Tone } from '../state.tsx'
import type { ChannelState } from './channel.ts'

const WORDS: Record<ChannelState['kind'], { tone: Tone; words: string }> = {
  off: { tone: 'neutral', words: 'Off' },
  connecting: { tone: 'busy', words: 'Connecting' },
  live: { tone: 'good', words: 'Connected' },
  lost: { tone: 'attention', words: 'Connecting again' },
  refused: { tone: 'bad', words: 'Refused' },
}

/** With why, where it is tried again. */
export function LiveState({ of: state }: { of: ChannelState }) {
  const { tone, words } = WORDS[state.kind]
  return (
    <>
      <State tone={tone}>{words}</State>
      {state.kind === 'lost' && (
        <span className="text-kumo-subtle wrap-anywhere">{state.reason.message}</span>
      )}
    </>
  )
}

/** Why a channel was refused, and the way to ask again. Nothing else has to be done by hand. */
export function Refusal({ of: state, onAgain }: { of: ChannelState; onAgain: () => void }) {
  if (state.kind !== 'refused') return null
  return (
    <div className="flex flex-col items-start gap-2">
      <ErrorNotice error={state.reason} title="Not live: the server has refused it" />
      <Button size="sm" onClick={onAgain}>
        Try again
      </Button>
    </div>
  )
}
