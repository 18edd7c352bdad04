// Ids, keys and addresses: monospace, shortened in the middle, copied with one click.

import { cn, Tooltip } from '@cloudflare/kumo'
import { CheckIcon, CopyIcon } from '@phosphor-icons/react'
import { useCopied } from './use-copied.ts'

/** `head` and `tail` are how many characters stay of a longer value; `whole` shows it all. */
export function CopyText({
  value,
  head = 10,
  tail = 6,
  whole = false,
  label = 'Copy',
  className,
}: {
  value: string
  head?: number
  tail?: number
  whole?: boolean
  /** What is copied, for those who do not see it. */
  label?: string
  className?: string
}) {
  const { isCopied, copy } = useCopied()
  const isShort = whole || value.length <= head + tail + 1
  const shown = isShort ? value : `${value.slice(0, head)}…${value.slice(-tail)}`
  const copyValue = (event: React.MouseEvent) => {
    // In a row that opens on click.
    event.preventDefault()
    event.stopPropagation()
    void copy(value)
  }
  return (
    <Tooltip
      content={isCopied ? 'Copied' : isShort ? label : value}
      render={
        <button
          type="button"
          onClick={copyValue}
          // What is seen is part of the name: whoever speaks to the page says what they see.
          aria-label={`${label}: ${shown}`}
          className={cn(
            'inline-flex max-w-full cursor-pointer items-center gap-1.5 rounded-sm text-left',
            'code-text hover:text-kumo-link',
            className,
          )}
        >
          <span className={whole ? 'wrap-anywhere' : 'truncate'}>{shown}</span>
          {isCopied ? (
            <CheckIcon className="shrink-0 text-kumo-success" />
          ) : (
            <CopyIcon className="shrink-0 text-kumo-subtle" />
          )}
          <span role="status" className="sr-only">
            {isCopied && 'Copied'}
          </span>
        </button>
      }
    />
  )
}
