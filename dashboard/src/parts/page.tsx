// The head of every view: its title, one sentence that says what it is, its actions at the right.

import { Text } from '@cloudflare/kumo'
import { useEffect } from 'react'

/**
 * `title` also becomes the tab's. `lead` is one sentence. `actions`: one primary button, and what belongs to the
 * record. `crumb` leads back to the list of a record.
 */
export function Page({
  title,
  lead,
  actions,
  crumb,
  children,
}: {
  title: string
  lead?: React.ReactNode
  actions?: React.ReactNode
  crumb?: React.ReactNode
  children: React.ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Quoin`
  }, [title])
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-start gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          {crumb !== undefined && <div className="mb-1 text-sm">{crumb}</div>}
          <h1 className="text-xl font-semibold wrap-anywhere">{title}</h1>
          {lead !== undefined && <p className="mt-1 max-w-[75ch] text-kumo-subtle">{lead}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** A part of a page with a heading of its own. */
export function Section({
  title,
  lead,
  actions,
  children,
}: {
  title: string
  lead?: React.ReactNode
  actions?: React.ReactNode
  children: React.ReactNode
}) {
  return (
    <section className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <Text variant="heading" as="h2">
            {title}
          </Text>
          {lead !== undefined && <p className="mt-0.5 max-w-[75ch] text-kumo-subtle">{lead}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  )
}
