import type { ReactNode } from 'react'

/** A name with what it means in a few words, and its value. Narrower than a `Fact`: two columns stand side by side. */
export function Row({ name, words, children }: { name: ReactNode; words?: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-4 gap-y-0.5 px-4 py-2 sm:grid-cols-[11rem_minmax(0,1fr)]">
      <dt className="min-w-0 wrap-anywhere">
        {name}
        {words !== undefined && <span className="block text-xs text-kumo-subtle">{words}</span>}
      </dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  )
}
