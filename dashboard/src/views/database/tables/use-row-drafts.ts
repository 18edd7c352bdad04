// What is typed into a row, what stood there before, and what somebody else has written meanwhile.

import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useSubmit } from '../../../parts/use-submit.ts'
import { type Draft, type Drafts, jsonProblems } from './drafts.ts'
import type { Row, Table } from './queries.ts'
import type { Seen } from './seen-values.ts'

const NO_DRAFTS: Drafts = new Map()
const NOTHING_SEEN: Seen = new Map()

export interface EditedRow {
  table: Table
  /** Without one it is a new row. */
  row?: Row
  onUnsaved: (changes: number) => void
  /** `seen` are the values that the drafts are to replace. */
  onSubmit: (drafts: Drafts, seen: Seen) => Promise<void>
  /** For when somebody else has changed the row; null where it is gone, which whoever shows the form says. */
  onReadAgain?: () => Promise<Row | null>
}

export function useRowDrafts({ table, row, onUnsaved, onSubmit, onReadAgain }: EditedRow) {
  const [drafts, setDrafts] = useState(NO_DRAFTS)
  // As it was when the first letter was typed: the row is read again now and then, unseen beneath a draft.
  const [seen, setSeen] = useState(NOTHING_SEEN)
  /** What somebody else has written in the columns of drafts. */
  const [theirs, setTheirs] = useState(NOTHING_SEEN)
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())

  const keep = (next: Drafts) => {
    const seenOf = (name: string) => (seen.has(name) ? seen.get(name) : row?.[name]) ?? null
    setDrafts(next)
    setSeen(new Map([...next.keys()].map(name => [name, seenOf(name)])))
    setTheirs(new Map([...theirs].filter(([name]) => next.has(name))))
    onUnsaved(next.size)
  }
  const save = useSubmit(
    () => onSubmit(drafts, seen),
    () => keep(NO_DRAFTS),
  )
  const reread = useMutation({
    mutationFn: (read: () => Promise<Row | null>) => read(),
    onSuccess: now => {
      save.reset()
      if (now === null) return
      const valueNow = (name: string) => now[name] ?? null
      const changed = [...seen].filter(([name, value]) => valueNow(name) !== value)
      setTheirs(new Map(changed.map(([name]) => [name, valueNow(name)])))
      setSeen(new Map([...seen.keys()].map(name => [name, valueNow(name)])))
    },
  })
  const isBusy = save.isBusy || reread.isPending
  return {
    drafts,
    theirs,
    problems,
    error: reread.error ?? save.error,
    isBusy,
    isSaved: save.isDone && drafts.size === 0,
    change: (name: string, draft: Draft | undefined) => {
      if (save.isDone) save.reset()
      const next = new Map(drafts)
      if (draft === undefined) next.delete(name)
      else next.set(name, draft)
      keep(next)
    },
    undoAll: () => keep(NO_DRAFTS),
    submit: (event: FormEvent) => {
      event.preventDefault()
      const found = jsonProblems(table, drafts)
      setProblems(found)
      reread.reset()
      if (found.size > 0) save.reset()
      else if (!reread.isPending) save.submit(event)
    },
    readAgain: onReadAgain && (() => reread.mutate(onReadAgain)),
  }
}
