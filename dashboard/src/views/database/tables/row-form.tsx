// The values of a row as fields: of one that is there, or of a new one.

import { Button } from '@cloudflare/kumo'
import { useEffect, useRef, useState } from 'react'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { columnsOfError, type Draft, type Drafts, jsonProblems } from './drafts.ts'
import type { Row, Table } from './queries.ts'
import { ValueField } from './value-field.tsx'

const NO_DRAFTS: Drafts = new Map()

/** Without `row` it is a new one. `action` is the button's text for so many changes. */
export function RowForm({
  table,
  row,
  action,
  onUnsaved,
  onSubmit,
}: {
  table: Table
  row?: Row
  action: (changes: number) => string
  onUnsaved: (changes: number) => void
  onSubmit: (drafts: Drafts) => Promise<void>
}) {
  const [drafts, setDrafts] = useState(NO_DRAFTS)
  const [error, setError] = useState<Error | null>(null)
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const [isBusy, setBusy] = useState(false)
  // Said here: a toast would cover the button.
  const [isSaved, setSaved] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const named = columnsOfError(table, error)

  const keep = (next: Drafts) => {
    setDrafts(next)
    onUnsaved(next.size)
  }
  const change = (name: string, draft: Draft | undefined) => {
    const next = new Map(drafts)
    if (draft === undefined) next.delete(name)
    else next.set(name, draft)
    keep(next)
    setSaved(false)
  }
  const submit = async (event: React.FormEvent) => {
    event.preventDefault()
    const found = jsonProblems(table, drafts)
    setProblems(found)
    setError(null)
    if (found.size > 0 || isBusy) return
    setBusy(true)
    try {
      await onSubmit(drafts)
      keep(NO_DRAFTS)
      setSaved(true)
    } catch (err) {
      setError(err instanceof Error ? err : new Error(String(err)))
    } finally {
      setBusy(false)
    }
  }
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
            onChange={draft => change(column.name, draft)}
          />
        ))}
      </div>
      <div className="sticky -bottom-4 mt-auto flex flex-col gap-3 border-t border-kumo-line bg-kumo-base py-3">
        <ErrorNotice error={error} />
        <div className="flex items-center justify-end gap-2">
          <span role="status" className="mr-auto text-kumo-success">
            {isSaved && 'Saved'}
          </span>
          <Button disabled={drafts.size === 0 || isBusy} onClick={() => keep(NO_DRAFTS)}>
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
