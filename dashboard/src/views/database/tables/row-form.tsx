// The values of a row as fields: of one that is there, or of a new one.

import { Button } from '@cloudflare/kumo'
import { useEffect, useRef } from 'react'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { ChangedMeanwhile } from './changed-meanwhile.tsx'
import { columnsOfError } from './drafts.ts'
import { RowChangedError } from './seen-values.ts'
import { type EditedRow, useRowDrafts } from './use-row-drafts.ts'
import { ValueField } from './value-field.tsx'

/** `action` is the button's text for so many changes. */
export function RowForm({ action, ...edited }: EditedRow & { action: (changes: number) => string }) {
  const { table, row } = edited
  const { drafts, theirs, problems, error, isBusy, isSaved, change, undoAll, submit, readAgain } =
    useRowDrafts(edited)
  const form = useRef<HTMLFormElement>(null)
  const named = columnsOfError(table, error)
  useEffect(() => {
    if (error !== null || problems.size > 0)
      form.current?.querySelector('[aria-invalid=true]')?.scrollIntoView({ block: 'center' })
  }, [error, problems])

  return (
    <form ref={form} onSubmit={submit} noValidate className="flex flex-1 flex-col">
      <div className="-mt-2">
        {table.columns.map(column => (
          <ValueField
            key={column.name}
            column={column}
            isKey={table.primary_key.includes(column.name)}
            original={row === undefined ? undefined : (row[column.name] ?? null)}
            draft={drafts.get(column.name)}
            error={problems.get(column.name) ?? (named.includes(column.name) ? error?.message : undefined)}
            theirs={theirs.get(column.name)}
            onChange={draft => change(column.name, draft)}
          />
        ))}
      </div>
      <div className="sticky -bottom-4 mt-auto flex flex-col gap-3 border-t border-kumo-line bg-kumo-base py-3">
        {error instanceof RowChangedError && readAgain !== undefined ? (
          <ChangedMeanwhile error={error} isBusy={isBusy} onReadAgain={readAgain} />
        ) : (
          <ErrorNotice error={error} />
        )}
        <div className="flex items-center justify-end gap-2">
          <span role="status" className="mr-auto text-kumo-success">
            {isSaved && 'Saved'}
          </span>
          <Button disabled={drafts.size === 0 || isBusy} onClick={undoAll}>
            Undo all
          </Button>
          <Button
            type="submit"
            variant="primary"
            disabled={row !== undefined && drafts.size === 0}
            loading={isBusy}
          >
            {row !== undefined && drafts.size === 0 ? 'Nothing changed' : action(drafts.size)}
          </Button>
        </div>
      </div>
    </form>
  )
}
