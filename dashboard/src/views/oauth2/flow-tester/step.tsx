// One step of a flow: what it is for, what it needs, and the button that does it.

import { cn, LayerCard } from '@cloudflare/kumo'
import { CaretDownIcon, CheckCircleIcon, XCircleIcon } from '@phosphor-icons/react'
import { type ReactNode, useState } from 'react'

export type StepState = 'waiting' | 'ready' | 'done' | 'failed'

/** `waiting`: an earlier step comes first. `isPast`: the next one is done, so this one folds itself. */
export function Step({
  number,
  title,
  lead,
  state,
  isPast = false,
  children,
}: {
  number: number
  title: string
  lead: ReactNode
  state: StepState
  isPast?: boolean
  children: ReactNode
}) {
  const [isUnfolded, setUnfolded] = useState<boolean>()
  const isOpen = state !== 'waiting' && (isUnfolded ?? !isPast)
  return (
    <li>
      <LayerCard className="p-0" render={<section aria-label={`Step ${number}: ${title}`} />}>
        <div className="relative flex gap-3 px-4 py-3">
          <Mark number={number} state={state} />
          <div className="min-w-0 flex-1">
            <h2 className={cn('font-semibold', state === 'waiting' && 'text-kumo-subtle')}>{title}</h2>
            <p className="mt-0.5 max-w-[75ch] text-kumo-subtle">{lead}</p>
          </div>
          {state !== 'waiting' && (
            // It covers the whole head.
            <button
              type="button"
              aria-expanded={isOpen}
              aria-label={`Content of step ${number}`}
              onClick={() => setUnfolded(!isOpen)}
              className="h-fit shrink-0 cursor-pointer p-1 text-kumo-subtle after:absolute after:inset-0"
            >
              <CaretDownIcon aria-hidden="true" className={cn(isOpen && 'rotate-180')} />
            </button>
          )}
        </div>
        {state !== 'waiting' && (
          // Hidden, not left out: a fold must not stop what goes on in it.
          <div
            hidden={!isOpen}
            className="flex flex-col gap-4 border-t border-kumo-hairline px-4 py-4 [[hidden]]:hidden"
          >
            {children}
          </div>
        )}
      </LayerCard>
    </li>
  )
}

function Mark({ number, state }: { number: number; state: StepState }) {
  if (state === 'done')
    return (
      <CheckCircleIcon weight="fill" size={22} className="shrink-0 text-kumo-success" aria-label="Done" />
    )
  if (state === 'failed')
    return <XCircleIcon weight="fill" size={22} className="shrink-0 text-kumo-danger" aria-label="Failed" />
  return (
    <span
      className={cn(
        'grid size-[22px] shrink-0 place-items-center rounded-full border border-kumo-line text-xs tabular-nums',
        state === 'ready' && 'border-kumo-brand font-semibold text-kumo-brand',
      )}
    >
      {number}
    </span>
  )
}

/** More on a step, for whoever wants it. */
export function Aside({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className="rounded-md bg-kumo-recessed px-3 py-2">
      <summary className="cursor-pointer font-medium">{title}</summary>
      <div className="mt-2 flex max-w-[75ch] flex-col gap-2">{children}</div>
    </details>
  )
}
