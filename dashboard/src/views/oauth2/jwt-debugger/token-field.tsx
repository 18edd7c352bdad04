// Where the token is pasted: a plain text field that cannot colour, over the same text in the colours of its parts.

import { cn } from '@cloudflare/kumo'
import { useId } from 'react'
import { cleanToken, type PartName } from '../../../parts/jwt.ts'
import { PART_LOOKS, PARTS } from './part-looks.ts'

const TEXT = 'col-start-1 row-start-1 p-3 code-text leading-5 whitespace-pre-wrap break-all'

const FRAME =
  'grid max-h-[60vh] min-h-56 overflow-y-auto rounded-md border border-kumo-line bg-kumo-base ' +
  'focus-within:ring-2 focus-within:ring-kumo-brand'

/** `faulty` is the part that could not be read. */
export function TokenField({
  token,
  faulty,
  onChange,
}: {
  token: string
  faulty: PartName | undefined
  onChange: (token: string) => void
}) {
  const id = useId()
  const parts = token.split('.')
  // Only three parts have colours; of something else there may be any number.
  const shown = parts.length === 3 ? parts : [token]
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-medium">
        Token
      </label>
      <div className={FRAME}>
        <div aria-hidden="true" className={TEXT}>
          {shown.map((text, i) => {
            const part = shown.length === 3 ? PARTS[i] : undefined
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts are what their place makes them
              <span key={i}>
                {i > 0 && <span className="font-bold">.</span>}
                <span
                  className={cn(
                    part && PART_LOOKS[part].text,
                    part !== undefined &&
                      part === faulty &&
                      'underline decoration-wavy decoration-kumo-danger',
                  )}
                >
                  {text}
                </span>
              </span>
            )
          })}
        </div>
        <textarea
          id={id}
          value={token}
          onChange={event => onChange(cleanToken(event.target.value))}
          placeholder="Paste a JWT: eyJhbGciOi…"
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          className={cn(
            TEXT,
            'resize-none overflow-hidden bg-transparent text-kumo-default outline-none placeholder:text-kumo-subtle',
            token !== '' && '[-webkit-text-fill-color:transparent]',
          )}
        />
      </div>
      <ul aria-label="Colours of the parts" className="flex flex-wrap gap-x-4 gap-y-1 text-[13px]">
        {PARTS.map((part, i) => (
          <li key={part} className={cn('inline-flex items-center gap-1.5', PART_LOOKS[part].text)}>
            <span aria-hidden="true" className={cn('size-2 rounded-full bg-current')} />
            {`${i + 1}. ${PART_LOOKS[part].name}`}
          </li>
        ))}
      </ul>
    </div>
  )
}
