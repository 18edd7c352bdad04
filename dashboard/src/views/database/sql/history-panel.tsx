// What this administrator has run, from the audit log. A click puts it back into the editor.

import { cn, Empty, Input, Link } from '@cloudflare/kumo'
import { ClockCounterClockwiseIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../../../api/session.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { SidePanel } from '../../../parts/side-panel.tsx'
import { State } from '../../../parts/state.tsx'
import { Time } from '../../../parts/time.tsx'
import { historyQuery, textOf } from './queries.ts'

export function HistoryPanel({ onTake, onClose }: { onTake: (text: string) => void; onClose: () => void }) {
  const { identity } = useSession()
  const query = useQuery(historyQuery(identity.id))
  const [search, setSearch] = useState('')
  return (
    <SidePanel title="History" onClose={onClose}>
      <p className="text-kumo-subtle">
        Your last 100 statements and scripts, as the <Link href="/audit-log?target_kind=sql">audit log</Link>{' '}
        has them. A click puts one back into the editor.
      </p>
      <Input
        aria-label="Search history"
        placeholder="Words of a statement"
        className="shrink-0"
        value={search}
        onChange={event => setSearch(event.target.value)}
      />
      <Loaded query={query}>
        {entries => {
          const shown = entries.filter(entry =>
            textOf(entry).text.toLowerCase().includes(search.toLowerCase()),
          )
          if (shown.length === 0) {
            return (
              <Empty
                icon={<ClockCounterClockwiseIcon size={40} />}
                title={entries.length === 0 ? 'No queries yet' : 'No statement matches'}
                description="Statements that you run appear here."
              />
            )
          }
          return (
            <ul className="-mx-2 flex flex-col">
              {shown.map(entry => {
                const { text, way, isCut } = textOf(entry)
                return (
                  <li key={entry.id} className="relative rounded-md px-2 py-2 hover:bg-kumo-tint">
                    <button
                      type="button"
                      onClick={() => onTake(text)}
                      className={cn(
                        'line-clamp-3 w-full cursor-pointer text-left after:absolute after:inset-0',
                        'code-text whitespace-pre-wrap wrap-anywhere',
                      )}
                    >
                      {text}
                    </button>
                    <span className="mt-1 flex flex-wrap items-center gap-x-3 text-xs text-kumo-subtle">
                      <State tone={TONES[entry.outcome]}>{entry.error_code ?? OUTCOMES[entry.outcome]}</State>
                      <Time at={entry.created_at} />
                      {way === 'explain' && 'explained'}
                      {way === 'analyze' && 'run and explained'}
                      {isCut && 'only its beginning was kept'}
                    </span>
                  </li>
                )
              })}
            </ul>
          )
        }}
      </Loaded>
    </SidePanel>
  )
}

const TONES = { pending: 'attention', succeeded: 'good', failed: 'bad' } as const
const OUTCOMES = { pending: 'Outcome unknown', succeeded: 'Done', failed: 'Failed' }
