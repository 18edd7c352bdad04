// One value as a field of its type. What is typed is a text that Postgres reads.

import { Button } from '@cloudflare/kumo'
import { KeyIcon } from '@phosphor-icons/react'
import { useId } from 'react'
import { ValueText } from '../../../parts/database/value-text.tsx'
import { prettyJson } from '../../../parts/exact-json.ts'
import type { Draft } from './drafts.ts'
import { shortType } from './facts-of-tables.ts'
import { asTyped, hasOneLineEnd, withLineEndsOf } from './line-ends.ts'
import type { Column } from './queries.ts'
import { ValueInput } from './value-input.tsx'

/** `original` is the value as it is; undefined: the row is new. */
export function ValueField({
  column,
  isKey,
  original,
  draft,
  error,
  theirs,
  onChange,
}: {
  column: Column
  isKey: boolean
  original: string | null | undefined
  draft: Draft | undefined
  error: string | undefined
  /** What somebody else has written meanwhile, where that is another value than before. */
  theirs: string | null | undefined
  onChange: (draft: Draft | undefined) => void
}) {
  const id = useId()
  const isNew = original === undefined
  const hasDefault = column.default !== null
  const isNull = draft === undefined ? original === null : draft.kind === 'null'
  // Of jsonb no line ends are stored; json keeps its text, and so must an edit.
  const shown = column.type === 'jsonb' && original ? prettyJson(original) : original
  const text = draft === undefined ? (shown ?? '') : draft.kind === 'value' ? draft.text : ''
  const isEditable = hasOneLineEnd(original ?? '')
  const set = (typed: string) => {
    const value = withLineEndsOf(original ?? '', typed)
    onChange(value === shown ? undefined : { kind: 'value', text: value })
  }
  return (
    <div className="flex flex-col gap-1 py-2">
      <div className="flex min-h-6 flex-wrap items-center gap-x-2">
        <label htmlFor={id} className="flex items-center gap-1.5 font-medium wrap-anywhere">
          {isKey && <KeyIcon aria-label="Primary key" />}
          {column.name}
        </label>
        <code className="text-xs text-kumo-subtle">{shortType(column.type)}</code>
        {!column.generated && (
          <span className="ml-auto flex gap-1">
            {draft !== undefined && (
              <Button size="xs" variant="ghost" onClick={() => onChange(undefined)}>
                Undo<span className="sr-only"> the change of {column.name}</span>
              </Button>
            )}
            {column.nullable && (
              <Button
                size="xs"
                variant={isNull ? 'secondary' : 'ghost'}
                aria-pressed={isNull}
                onClick={() => onChange(original === null ? undefined : { kind: 'null' })}
              >
                <span className="sr-only">{column.name}: </span>NULL
              </Button>
            )}
            {!isNew && hasDefault && (
              <Button
                size="xs"
                variant={draft?.kind === 'default' ? 'secondary' : 'ghost'}
                aria-pressed={draft?.kind === 'default'}
                onClick={() => onChange({ kind: 'default' })}
              >
                <span className="sr-only">{column.name}: </span>Default
              </Button>
            )}
          </span>
        )}
      </div>
      <ValueInput
        id={id}
        column={column}
        text={asTyped(text)}
        isNull={isNull}
        isEditable={isEditable}
        placeholder={placeholderOf(column, isNew, isNull, draft)}
        isInvalid={error !== undefined}
        describedBy={`${id}-note`}
        onChange={set}
      />
      <div id={`${id}-note`} className="text-xs">
        {error !== undefined && (
          <p role="alert" className="text-kumo-danger">
            {error}
          </p>
        )}
        {theirs !== undefined && (
          <p className="text-kumo-warning wrap-anywhere">
            Somebody else has changed it to <ValueText text={theirs} /> meanwhile. Saving replaces it with
            yours; Undo keeps theirs.
          </p>
        )}
        {column.generated && <p className="text-kumo-subtle">Postgres sets the value.</p>}
        {!isEditable && (
          <p className="text-kumo-subtle">
            It mixes line endings, which a field here would make the same. Change it in the SQL view.
          </p>
        )}
        {column.comment !== null && <p className="text-kumo-subtle">{column.comment}</p>}
      </div>
    </div>
  )
}

function placeholderOf(column: Column, isNew: boolean, isNull: boolean, draft: Draft | undefined): string {
  if (column.generated) return 'With the new row'
  if (draft?.kind === 'default' || (isNew && draft === undefined && column.default !== null))
    return `Default: ${column.default}`
  if (isNull || (isNew && draft === undefined && column.nullable)) return 'NULL'
  return isNew && draft === undefined ? 'Required' : 'Empty text'
}
