// A token as it is typed or pasted: over several lines, hidden from whoever looks over a shoulder, kept by no browser.

import { Button, InputArea } from '@cloudflare/kumo'
import { EyeIcon, EyeSlashIcon } from '@phosphor-icons/react'
import { type ReactNode, useState } from 'react'

export function TokenField({
  value,
  error,
  onChange,
  onSubmit,
  children,
}: {
  value: string
  error: string | undefined
  onChange: (value: string) => void
  onSubmit: () => void
  /** What is done with the token. */
  children: ReactNode
}) {
  const [isShown, setShown] = useState(false)
  return (
    <div className="flex flex-col gap-3">
      <InputArea
        label="Token"
        description="An access or refresh token. It is in the memory of this page alone, and gone when you leave it."
        value={value}
        onValueChange={onChange}
        onKeyDown={event => {
          if (event.key !== 'Enter' || event.shiftKey) return
          event.preventDefault()
          onSubmit()
        }}
        error={error}
        rows={3}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        className={`code-text! break-all ${isShown ? '' : '[-webkit-text-security:disc]'}`}
      />
      <div className="flex flex-wrap gap-2">
        {children}
        <Button
          variant="ghost"
          icon={isShown ? EyeSlashIcon : EyeIcon}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? 'Hide token' : 'Show token'}
        </Button>
      </div>
    </div>
  )
}
