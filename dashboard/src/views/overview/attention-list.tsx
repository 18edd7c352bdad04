// The answer to "is everything well?", and below it what is not, with the way there.

import { LayerCard, Link, SkeletonLine } from '@cloudflare/kumo'
import { State } from '../../parts/state.tsx'
import type { Attention } from './attention.ts'

/** `isKnown`: everything has been asked. */
export function AttentionList({ items, isKnown }: { items: readonly Attention[]; isKnown: boolean }) {
  return (
    <LayerCard className="p-0">
      <div role="status" aria-busy={!isKnown} className="px-4 py-3 text-base font-semibold">
        {items.length > 0 ? (
          <State tone={items.some(({ tone }) => tone === 'bad') ? 'bad' : 'attention'}>
            {items.length === 1 ? '1 thing needs attention' : `${items.length} things need attention`}
          </State>
        ) : isKnown ? (
          <State tone="good">No problems found</State>
        ) : (
          <SkeletonLine className="h-5 w-48" />
        )}
      </div>
      {items.length > 0 && (
        <ul className="divide-y divide-kumo-hairline border-t border-kumo-hairline">
          {items.map(({ tone, text, way }) => (
            <li
              key={`${text} ${way?.href}`}
              className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2"
            >
              <span className="w-24 shrink-0">
                <State tone={tone}>{tone === 'bad' ? 'Problem' : 'Notice'}</State>
              </span>
              <span className="min-w-0 flex-1 basis-64 wrap-anywhere">{text}</span>
              {way !== undefined && <Link href={way.href}>{way.label}</Link>}
            </li>
          ))}
        </ul>
      )}
    </LayerCard>
  )
}
