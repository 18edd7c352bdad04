// SQL: one statement, its answer or its plan.

import { Button, Empty } from '@cloudflare/kumo'
import { ClockCounterClockwiseIcon, TerminalWindowIcon } from '@phosphor-icons/react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import { CodeEditor } from '../../../parts/code-editor.tsx'
import type { TextRange } from '../../../parts/code-mirror.tsx'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { tablesQuery } from '../../../parts/database/tables-query.ts'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { useReloadGuard } from '../../../parts/leave-guard.tsx'
import { Page } from '../../../parts/page.tsx'
import { HistoryPanel } from './history-panel.tsx'
import { memory } from './memory.ts'
import { placedInText, placeOfError } from './place.ts'
import { PlanTree } from './plan-tree.tsx'
import { linesBefore, runSql, type Way } from './queries.ts'
import { Result } from './result.tsx'
import { Toolbar } from './toolbar.tsx'

const view = getRouteApi('/database/sql')

export function SqlPage() {
  const { history } = view.useSearch()
  const navigate = view.useNavigate()
  const [text, setText] = useState(memory.text)
  const [outcome, setOutcome] = useState(memory.outcome)
  const [selection, setSelection] = useState<TextRange>({ from: 0, to: 0 })
  const [bounds, setBounds] = useState({ rowLimit: 1_000, timeoutMs: 10_000 })
  const [mark, setMark] = useState<TextRange>()
  const [isAsking, setAsking] = useState(false)
  const { data } = useQuery(tablesQuery)
  const completions = useMemo(() => completionsOf(data?.tables ?? []), [data])
  const example = exampleOf(data?.tables ?? [])
  const isSelection = selection.from < selection.to

  const waiting = useRef<AbortController>(undefined)

  const run = useMutation({
    mutationFn: async (way: Way) => {
      const from = isSelection ? selection.from : 0
      const sent = isSelection ? text.slice(selection.from, selection.to) : text
      waiting.current = new AbortController()
      const { signal } = waiting.current
      setMark(undefined)
      try {
        memory.outcome = await runSql(sent, way, bounds, signal)
        if (sent === text) memory.kept = text
        setOutcome(memory.outcome)
      } catch (err) {
        // The server does not notice who has gone.
        if (signal.aborted)
          throw new Error(
            `Nobody waits for it any more. It may run on, for ${bounds.timeoutMs / 1_000} s in all.`,
          )
        if (!(err instanceof Error)) throw err
        const place = placeOfError(err, sent, linesBefore(way))
        setMark(place && { from: from + place.from, to: from + place.to })
        throw placedInText(err, text, from, linesBefore(way))
      }
    },
  })
  useReloadGuard(text.trim() !== '' && text !== memory.kept)
  const type = (typed: string) => {
    memory.text = typed
    setText(typed)
  }
  const go = (way: Way) => {
    if (text.trim() === '' || run.isPending) return
    if (way === 'analyze') setAsking(true)
    else run.mutate(way)
  }
  const showHistory = (isShown: boolean) => navigate({ search: { history: isShown || undefined } })

  return (
    <Page
      title="SQL"
      lead="One statement at a time, as service_role: it sees every row. The audit log keeps what is run."
      actions={
        <Button icon={ClockCounterClockwiseIcon} onClick={() => showHistory(true)}>
          History
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <CodeEditor
          label="SQL"
          language="sql"
          value={text}
          onChange={type}
          onSubmit={() => go('run')}
          onSelect={setSelection}
          tables={completions}
          mark={mark}
          hint="select * from …    Ctrl or Cmd Enter runs it, or what is selected of it"
          className="max-h-[45vh] [&_.cm-content]:min-h-32!"
        />
        <Toolbar
          isSelection={isSelection}
          isEmpty={text.trim() === ''}
          busyWith={run.isPending ? run.variables : undefined}
          bounds={bounds}
          onBounds={setBounds}
          onGo={go}
          onStop={() => waiting.current?.abort()}
        />
      </div>
      <ErrorNotice error={run.error} />
      {!run.isError && outcome?.kind === 'rows' && <Result of={outcome.answer} ms={outcome.ms} />}
      {!run.isError && outcome?.kind === 'plan' && <PlanTree of={outcome.plan} hasRun={outcome.hasRun} />}
      {!run.isError && outcome === undefined && (
        <Empty
          icon={<TerminalWindowIcon size={40} />}
          title="Nothing was run yet"
          description="The rows of a statement show here, or its plan."
          contents={
            example !== undefined && (
              <Button onClick={() => type(example)}>
                <code className="font-mono text-[13px]">{example}</code>
              </Button>
            )
          }
        />
      )}
      {isAsking && (
        <ConfirmDialog
          title="Run the statement to explain it?"
          action="Run and explain"
          onConfirm={async () => run.mutate('analyze')}
          onClose={() => setAsking(false)}
        >
          <p>
            EXPLAIN ANALYZE runs the statement to measure it. What it inserts, changes or deletes stays; its
            rows are not shown.
          </p>
        </ConfirmDialog>
      )}
      {history && (
        <HistoryPanel
          onTake={taken => {
            memory.kept = taken
            type(taken)
            void showHistory(false)
          }}
          onClose={() => showHistory(false)}
        />
      )}
    </Page>
  )
}

/** Those of the first schema by their names alone, as SQL finds them. */
function completionsOf(tables: readonly { schema: string; name: string; columns: { name: string }[] }[]) {
  return Object.fromEntries(
    tables.map(({ schema, name, columns }) => [
      schema === 'public' ? name : `${schema}.${name}`,
      columns.map(column => column.name),
    ]),
  )
}

function exampleOf(
  tables: readonly { schema: string; name: string; readable: boolean }[],
): string | undefined {
  // Names that need no quotes.
  const table = tables.find(({ name, readable }) => readable && /^[a-z_][a-z0-9_]*$/.test(name))
  return table && `select * from ${table.schema}.${table.name} limit 100`
}
