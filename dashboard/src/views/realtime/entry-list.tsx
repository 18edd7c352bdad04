// What came, the newest first; each opens to its whole.

import { cn, LayerCard } from '@cloudflare/kumo'
import type { Entry, EntryKind } from './entries.ts'

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

const KINDS: Readonly<Record<EntryKind, { word: string; dot: string }>> = {
  INSERT: { word: 'Insert', dot: 'bg-kumo-success' },
  UPDATE: { word: 'Update', dot: 'bg-kumo-info' },
  DELETE: { word: 'Delete', dot: 'bg-kumo-danger' },
  broadcast: { word: 'Broadcast', dot: 'bg-kumo-brand' },
  join: { word: 'Came', dot: 'bg-kumo-success' },
  leave: { word: 'Left', dot: 'bg-kumo-contrast opacity-40' },
  refetch: { word: 'Refetch', dot: 'bg-kumo-warning' },
  error: { word: 'Error', dot: 'bg-kumo-danger' },
}

export function EntryList({ entries, label }: { entries: readonly Entry[]; label: string }) {
  return (
    <LayerCard className="p-0">
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        className="max-h-[70vh] overflow-y-auto"
      >
        <ol className="divide-y divide-kumo-hairline">
          {entries.map(entry => (
            <li key={entry.number}>
              <EntryLine of={entry} />
            </li>
          ))}
        </ol>
      </section>
    </LayerCard>
  )
}

function EntryLine({ of: { at, kind, words, values } }: { of: Entry }) {
  const { word, dot } = KINDS[kind]
  const date = new Date(at)
  return (
    <details className="group">
      <summary
        className={cn(
          'flex min-h-10 cursor-pointer flex-wrap items-center gap-x-4 px-4 py-2 sm:flex-nowrap',
          'hover:bg-kumo-tint',
        )}
      >
        <time dateTime={at} className="shrink-0 text-kumo-subtle tabular-nums">
          {clock.format(date)}.{String(date.getMilliseconds()).padStart(3, '0')}
        </time>
        <span className="inline-flex w-24 shrink-0 items-center gap-2">
          <span aria-hidden="true" className={cn('size-2 shrink-0 rounded-full', dot)} />
          {word}
        </span>
        <span className="min-w-0 basis-full truncate code-text sm:basis-auto">{words}</span>
      </summary>
      <div className="flex flex-col gap-3 border-t border-kumo-hairline bg-kumo-elevated px-4 py-3">
        {Object.entries(values).map(([name, value]) => (
          <figure key={name} className="flex min-w-0 flex-col gap-1">
            <figcaption className="text-kumo-subtle">{name}</figcaption>
            <pre className="whitespace-pre-wrap wrap-anywhere">
              {typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)}
            </pre>
          </figure>
        ))}
      </div>
    </details>
  )
}
