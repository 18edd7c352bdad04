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

export function LiveState({ of: { kind } }: { of: ChannelState }) {
  const { tone, words } = WORDS[kind]
  return <State tone={tone}>{words}</State>
}

/** Why a channel is not open, and the way to ask again. Nothing while it is open, or about to be. */
export function LiveProblem({ of: state, onAgain }: { of: ChannelState; onAgain: () => void }) {
  if (state.kind !== 'lost' && state.kind !== 'refused') return null
  return (
    <div className="flex flex-col items-start gap-2">
      <ErrorNotice
        error={state.reason}
        title={state.kind === 'lost' ? 'Not live: it is tried again and again' : 'Not live: refused'}
      />
      <Button size="sm" onClick={onAgain}>
        Try again
      </Button>
    </div>
  )
}
