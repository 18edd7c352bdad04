// What is known of a record, as pairs of a word and its value.

import { LayerCard } from '@cloudflare/kumo'
import type { ReactNode } from 'react'

export function Facts({ children }: { children: ReactNode }) {
  return (
    <LayerCard className="p-0">
      <dl className="divide-y divide-kumo-hairline">{children}</dl>
    </LayerCard>
  )
}

/** `help` says what the value is good for, where the word does not. */
export function Fact({ label, help, children }: { label: string; help?: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-4 gap-y-0.5 px-4 py-2 sm:grid-cols-[14rem_minmax(0,1fr)]">
      <dt className="text-kumo-subtle">
        {label}
        {help !== undefined && <span className="block text-xs">{help}</span>}
      </dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  )
}

/** For a value that is not there. */
export function None({ children = 'none' }: { children?: ReactNode }) {
  return <span className="text-kumo-subtle">{children}</span>
}
