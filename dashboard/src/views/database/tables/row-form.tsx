// The values of a row as fields: of one that is there, or of a new one.

import { Button } from '@cloudflare/kumo'
import { useEffect, useRef, useState } from 'react'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { ChangedMeanwhile } from './changed-meanwhile.tsx'
import { columnsOfError, type Draft, type Drafts, jsonProblems } from './drafts.ts'
import type { Row, Table } from './queries.ts'
import { RowChangedError, type Seen } from './seen-values.ts'
import { ValueField } from './value-field.tsx'

const NO_DRAFTS: Drafts = new Map()
const NOTHING_SEEN: Seen = new Map()

/**
 * Without `row` it is a new one. `action` is the button's text for so many changes. `onReadAgain`: for when somebody
 * else has changed the row; null where there is none any more, which is said by whoever shows the form.
 */
export function RowForm({
  table,
  row,
  action,
  onUnsaved,
  onSubmit,
  onReadAgain,
}: {
  table: Table
  row?: Row
  action: (changes: number) => string
  onUnsaved: (changes: number) => void
  /** `seen` are the values that the drafts are to replace. */
  onSubmit: (drafts: Drafts, seen: Seen) => Promise<void>
  onReadAgain?: () => Promise<Row | null>
}) {
  const [drafts, setDrafts] = useState(NO_DRAFTS)
  // As it was when the first letter was typed: the row is read again now and then, unseen beneath a draft.
  const [seen, setSeen] = useState(NOTHING_SEEN)
  /** What somebody else has written in the columns of drafts. */
  const [theirs, setTheirs] = useState(NOTHING_SEEN)
  const [error, setError] = useState<Error | null>(null)
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const [isBusy, setBusy] = useState(false)
  // Said here: a toast would cover the button.
  const [isSaved, setSaved] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const named = columnsOfError(table, error)

  const keep = (next: Drafts) => {
    const seenOf = (name: string) => (seen.has(name) ? seen.get(name) : row?.[name]) ?? null
    setDrafts(next)
    setSeen(new Map([...next.keys()].map(name => [name, seenOf(name)])))
    setTheirs(new Map([...theirs].filter(([name]) => next.has(name))))
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
      await onSubmit(drafts, seen)
      keep(NO_DRAFTS)
      setSaved(true)
    } catch (err) {
      setError(err instanceof Error ? err : new Error(String(err)))
    } finally {
      setBusy(false)
    }
  }
  const readAgain = async (read: () => Promise<Row | null>) => {
    setBusy(true)
    try {
      const now = await read()
      setError(null)
      if (now === null) return
      const valueNow = (name: string) => now[name] ?? null
      const changed = [...seen].filter(([name, value]) => valueNow(name) !== value)
      setTheirs(new Map(changed.map(([name]) => [name, valueNow(name)])))
      setSeen(new Map([...seen.keys()].map(name => [name, valueNow(name)])))
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
            theirs={theirs.get(column.name)}
            onChange={draft => change(column.name, draft)}
          />
        ))}
      </div>
      <div className="sticky -bottom-4 mt-auto flex flex-col gap-3 border-t border-kumo-line bg-kumo-base py-3">
        {error instanceof RowChangedError && onReadAgain !== undefined ? (
          <ChangedMeanwhile error={error} isBusy={isBusy} onReadAgain={() => readAgain(onReadAgain)} />
        ) : (
          <ErrorNotice error={error} />
        )}
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
