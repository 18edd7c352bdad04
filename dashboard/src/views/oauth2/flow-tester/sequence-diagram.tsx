// The messages of a run between its parties, each where and when it happened. A list to those who do not see it.

import { cn, LayerCard } from '@cloudflare/kumo'
import { useEffect, useRef } from 'react'
import { wholeTime } from '../../../parts/time.tsx'
import type { Party } from './flows.ts'
import { offsetText } from './offset.ts'
import type { Message } from './run.ts'

const NAMES: Record<Party, { name: string; who: string }> = {
  browser: { name: 'Browser', who: 'the person' },
  application: { name: 'Application', who: 'this page' },
  device: { name: 'Device', who: 'this page' },
  server: { name: 'OAuth2 server', who: '' },
  bridge: { name: 'Bridge', who: 'Quoin' },
  identity: { name: 'Identity provider', who: '' },
}

export function SequenceDiagram({
  parties,
  messages,
}: {
  parties: readonly Party[]
  messages: readonly Message[]
}) {
  const scroller = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new message is what it scrolls to
  useEffect(() => {
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }, [messages])
  const start = messages.find(({ at }) => at !== undefined)?.at
  return (
    <LayerCard
      className="flex max-h-80 xl:max-h-[calc(100vh-8rem)] flex-col p-0"
      render={<section aria-label="Messages" />}
    >
      <div aria-hidden="true" className="flex border-b border-kumo-hairline py-2 pr-1">
        <span className="w-14 shrink-0 pl-2 text-xs text-kumo-subtle sm:w-16 sm:pl-3">Time</span>
        <div className="flex min-w-0 flex-1">
          {parties.map(party => (
            <span
              key={party}
              className="min-w-0 flex-1 px-0.5 text-center text-[11px] leading-4 font-medium hyphens-manual sm:text-xs"
            >
              {NAMES[party].name.replace('Application', 'Applica\u00adtion')}
              <span className="block font-normal text-kumo-subtle">{NAMES[party].who}</span>
            </span>
          ))}
        </div>
      </div>
      <div
        ref={scroller}
        role="log"
        aria-label="Messages so far"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        className="relative flex-1 xl:min-h-64 overflow-y-auto"
      >
        <Lifelines count={parties.length} />
        {messages.length === 0 ? (
          <p className="relative mx-auto mt-16 w-fit max-w-[16rem] bg-kumo-base px-3 py-2 text-center text-kumo-subtle">
            Each message appears here when it happens, with its time.
          </p>
        ) : (
          <ol className="relative flex flex-col gap-3 py-3">
            {messages.map(message => (
              <Arrow key={message.id} of={message} parties={parties} start={start ?? 0} />
            ))}
          </ol>
        )}
      </div>
      {messages.some(({ isInferred }) => isInferred) && (
        <p className="border-t border-kumo-hairline px-3 py-2 text-xs text-kumo-subtle">
          Dashed: happened in the other window, where this page does not see; known from what came back. The
          time of the sign-in is auth_time of the ID token.
        </p>
      )}
    </LayerCard>
  )
}

function Lifelines({ count }: { count: number }) {
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute inset-y-0 right-1 left-14 sm:left-16 flex"
    >
      {Array.from({ length: count }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <span key={i} className="flex flex-1 justify-center">
          <span className="h-full border-l border-kumo-line" />
        </span>
      ))}
    </div>
  )
}

function Arrow({ of: message, parties, start }: { of: Message; parties: readonly Party[]; start: number }) {
  const { from, to, text, at, isInferred, isBad, times } = message
  const [tail, head] = [parties.indexOf(from), parties.indexOf(to)]
  const [left, right] = [Math.min(tail, head), Math.max(tail, head)]
  const percent = (columns: number) => `${(columns / parties.length) * 100}%`
  return (
    <li
      className={cn(
        'flex pr-1',
        isBad ? 'text-kumo-danger' : isInferred ? 'text-kumo-subtle' : 'text-kumo-default',
      )}
    >
      <span
        className="w-14 shrink-0 pl-2 text-[11px] sm:w-16 sm:pl-3 leading-4 text-kumo-subtle tabular-nums"
        title={at === undefined ? undefined : wholeTime(new Date(at))}
      >
        {at !== undefined && offsetText(at - start)}
      </span>
      <div className="min-w-0 flex-1">
        <p
          className="px-1 text-center text-xs leading-4 break-words"
          style={{ marginLeft: percent(left), width: percent(right - left + 1) }}
        >
          <span className="bg-kumo-base box-decoration-clone px-1">
            <span className="sr-only">{`${NAMES[from].name} to ${NAMES[to].name}: `}</span>
            {text}
            {times !== undefined && ` ×${times}`}
            {isInferred && <span className="sr-only"> (not seen from here)</span>}
          </span>
        </p>
        <div
          aria-hidden="true"
          className="relative h-2.5"
          style={{ marginLeft: percent(left + 0.5), width: percent(right - left) }}
        >
          <span
            className={cn('absolute inset-x-0 top-1 border-t border-current', isInferred && 'border-dashed')}
          />
          <svg
            aria-hidden="true"
            viewBox="0 0 8 8"
            className={cn(
              'absolute top-[1px] size-2 fill-current',
              head > tail ? 'right-0' : 'left-0 rotate-180',
            )}
          >
            <path d="M0 0 L8 4 L0 8 Z" />
          </svg>
        </div>
      </div>
    </li>
  )
}
