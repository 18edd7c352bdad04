// A button that copies a text and says for a moment that it has: for what is too long to be shown by `CopyText`.

import { Button } from '@cloudflare/kumo'
import { CheckIcon, CopyIcon, type Icon } from '@phosphor-icons/react'
import { useCopied } from './use-copied.ts'

/** `children` is its verb. `label`: what it is called where several stand on one page. */
export function CopyButton({
  text,
  label,
  size = 'sm',
  icon = CopyIcon,
  children,
}: {
  text: string
  label?: string
  size?: 'xs' | 'sm' | 'base'
  icon?: Icon
  children: string
}) {
  const { isCopied, copy } = useCopied()
  return (
    <>
      <Button
        size={size}
        icon={isCopied ? CheckIcon : icon}
        aria-label={label}
        onClick={() => void copy(text)}
      >
        {isCopied ? 'Copied' : children}
      </Button>
      <span role="status" className="sr-only">
        {isCopied && 'Copied'}
      </span>
    </>
  )
}
