import { cn } from '@cloudflare/kumo'
import type { ReactNode } from 'react'

/** A part of a long form: what it is about at the left, its fields beside it. */
export function FormSection({
  title,
  lead,
  children,
}: {
  title: string
  lead?: ReactNode
  children: ReactNode
}) {
  return (
    <section
      className={cn(
        'grid gap-x-10 gap-y-4 py-6 first:pt-0 lg:grid-cols-[17rem_minmax(0,1fr)]',
        'border-t border-kumo-hairline first:border-t-0',
      )}
    >
      <div>
        <h2 className="font-semibold">{title}</h2>
        {lead !== undefined && <p className="mt-1 max-w-[60ch] text-kumo-subtle">{lead}</p>}
      </div>
      <div className="flex min-w-0 max-w-2xl flex-col gap-5">{children}</div>
    </section>
  )
}

/** What a choice is called, and what it means. */
export function Choice({ label, sentence }: { label: ReactNode; sentence: ReactNode }) {
  return (
    <span className="block">
      {label}
      <span className="block text-sm text-kumo-subtle">{sentence}</span>
    </span>
  )
}
