// A chain of tuples: in words, then link by link.

import { Button } from '@cloudflare/kumo'
import { TrashIcon } from '@phosphor-icons/react'
import { printTuple, type Tuple } from './tuple-text.ts'
import { chainWords, subjectWords, tuplesOf } from './words.ts'

/** `asked` is the relation or permit that it gives; with `onRemove` each link can be removed. */
export function Chain({
  via,
  asked,
  onRemove,
}: {
  via: readonly string[]
  asked: string
  onRemove?: (tuple: Tuple) => void
}) {
  return (
    <div className="flex flex-col gap-3">
      <p className="text-base wrap-anywhere">{chainWords(via, asked)}.</p>
      <ol className="flex flex-col gap-2" aria-label="Links of the chain">
        {tuplesOf(via).map((tuple, i) => {
          const text = printTuple(tuple)
          return (
            <li
              key={text}
              className="flex items-center gap-3 rounded-md border border-kumo-hairline px-3 py-2 wrap-anywhere"
            >
              <span className="w-4 shrink-0 text-right text-xs text-kumo-subtle tabular-nums">{i + 1}</span>
              <span className="min-w-0 flex-1">
                <code>{text}</code>
                <span className="block text-xs text-kumo-subtle">
                  {tuple.relation} of {tuple.object}: {subjectWords(tuple)}
                </span>
              </span>
              {onRemove !== undefined && (
                <Button
                  size="sm"
                  variant="ghost"
                  icon={TrashIcon}
                  aria-label={`Remove ${text}`}
                  onClick={() => onRemove(tuple)}
                >
                  Remove
                </Button>
              )}
            </li>
          )
        })}
      </ol>
    </div>
  )
}
