// Addresses, a row each. Enter adds a row below, Backspace in an empty one removes it; several lines may be pasted.

import { Button, cn, Input } from '@cloudflare/kumo'
import { PlusIcon, TrashIcon } from '@phosphor-icons/react'
import { type ClipboardEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { uriProblems } from './problems.ts'

/** `name` is that of one row; `errorAt` is asked for what the server said of a row, by its number from 0. */
export function UriRows({
  legend,
  name,
  description,
  hint,
  rows: given,
  errorAt,
  error,
  onChange,
}: {
  legend: string
  name: string
  description: string
  hint: string
  rows: readonly string[]
  errorAt: (index: number) => string | undefined
  /** What the server said of them all. */
  error: string | undefined
  onChange: (rows: string[]) => void
}) {
  const rows = given.length === 0 ? [''] : given
  const problems = uriProblems(rows)
  const id = useId()
  const inputs = useRef<(HTMLInputElement | null)[]>([])
  const [toFocus, setToFocus] = useState<number>()
  useEffect(() => {
    if (toFocus === undefined) return
    inputs.current[toFocus]?.focus()
    setToFocus(undefined)
  }, [toFocus])

  const replace = (index: number, removed: number, added: readonly string[]) =>
    onChange(rows.toSpliced(index, removed, ...added))
  const addBelow = (index: number) => {
    replace(index + 1, 0, [''])
    setToFocus(index + 1)
  }
  const remove = (index: number) => {
    replace(index, 1, [])
    setToFocus(Math.max(0, index - 1))
  }
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      addBelow(index)
    }
    if (event.key === 'Backspace' && rows[index] === '' && rows.length > 1) {
      event.preventDefault()
      remove(index)
    }
  }
  const onPaste = (event: ClipboardEvent, index: number) => {
    const lines = event.clipboardData
      .getData('text')
      .split(/[\s,]+/)
      .filter(Boolean)
    if (lines.length < 2) return
    event.preventDefault()
    const before = rows[index] === '' ? [] : [rows[index] ?? '']
    replace(index, 1, [...before, ...lines])
    setToFocus(index + before.length + lines.length - 1)
  }

  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-base font-medium">{legend}</legend>
      {rows.map((row, i) => {
        const problem = problems[i] ?? errorAt(i)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place; the inputs hold nothing of their own
          <div key={i} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-1.5 gap-y-1">
            {/* Without Kumo's `error`: it makes another input of it, and who types loses the focus. */}
            <Input
              ref={input => {
                inputs.current[i] = input
              }}
              aria-label={`${name} ${i + 1}`}
              aria-invalid={problem !== undefined}
              aria-describedby={problem === undefined ? undefined : `${id}-${i}`}
              className={cn('w-full code-text!', problem !== undefined && 'ring-kumo-danger')}
              placeholder={hint}
              inputMode="url"
              autoCapitalize="off"
              autoComplete="off"
              spellCheck={false}
              value={row}
              onChange={event => replace(i, 1, [event.target.value])}
              onKeyDown={event => onKeyDown(event, i)}
              onPaste={event => onPaste(event, i)}
            />
            <Button
              variant="ghost"
              shape="square"
              icon={TrashIcon}
              aria-label={`Remove ${name} ${i + 1}`}
              disabled={rows.length === 1 && row === ''}
              onClick={() => remove(i)}
            />
            {problem !== undefined && (
              <p id={`${id}-${i}`} role="alert" className="col-span-full text-sm text-kumo-danger">
                {problem}
              </p>
            )}
          </div>
        )
      })}
      <div>
        <Button size="sm" icon={PlusIcon} onClick={() => addBelow(rows.length - 1)}>
          Add {name.charAt(0).toLowerCase() + name.slice(1)}
        </Button>
      </div>
      {error !== undefined && <p className="text-sm text-kumo-danger">{error}</p>}
      <p className="text-sm text-kumo-subtle">{description}</p>
    </fieldset>
  )
}
