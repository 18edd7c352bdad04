// SQL: a statement or a script, its answers or its plan. The Worker splits the text, and says what it would lose: that
// is asked about before it runs.

import { Button, Empty } from '@cloudflare/kumo'
import { ClockCounterClockwiseIcon, TerminalWindowIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { CodeEditor } from '../../../parts/code-editor.tsx'
import type { TextRange } from '../../../parts/code-mirror.tsx'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { tablesQuery } from '../../../parts/database/tables-query.ts'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { useReloadGuard } from '../../../parts/leave-guard.tsx'
import { Page } from '../../../parts/page.tsx'
import { completionsOf, exampleOf } from './completions.ts'
import { FailedRun } from './failed-run.ts'
import { HistoryPanel } from './history-panel.tsx'
import { Losses } from './losses.tsx'
import { recall, remember } from './memory.ts'
import { PlanTree } from './plan-tree.tsx'
import type { Way } from './queries.ts'
import { Result } from './result.tsx'
import { ScriptResults } from './script-results.tsx'
import { Toolbar } from './toolbar.tsx'
import { useSqlRun } from './use-sql-run.ts'

const view = getRouteApi('/database/sql')

export function SqlPage() {
  const { history } = view.useSearch()
  const navigate = view.useNavigate()
  const [text, setText] = useState(() => recall().text)
  const [selection, setSelection] = useState<TextRange>({ from: 0, to: 0 })
  const [bounds, setBounds] = useState({ rowLimit: 1_000, timeoutMs: 10_000 })
  const { outcome, error, way, asking, start, agree, doNotAsk, stop } = useSqlRun(bounds)
  const { data } = useQuery(tablesQuery)
  const completions = useMemo(() => completionsOf(data?.tables ?? []), [data])
  const example = exampleOf(data?.tables ?? [])
  const isSelection = selection.from < selection.to

  useReloadGuard(text.trim() !== '' && text !== recall().kept)
  const type = (typed: string) => {
    remember({ text: typed })
    setText(typed)
  }
  const go = (chosen: Way) => {
    if (text.trim() === '' || way !== undefined) return
    const sent = isSelection ? text.slice(selection.from, selection.to) : text
    start({ way: chosen, text, sent, from: isSelection ? selection.from : 0 })
  }
  const showHistory = (isShown: boolean) => navigate({ search: { history: isShown || undefined } })

  return (
    <Page
      title="SQL"
      lead={
        'Runs as service_role, which sees every row; several statements run in one transaction. It asks before rows ' +
        'or objects are lost, as far as it can tell: it does not look into functions and DO blocks.'
      }
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
          mark={error instanceof FailedRun ? error.place : undefined}
          hint="select * from …    Ctrl or Cmd Enter runs it, or the selection"
          className="max-h-[45vh] [&_.cm-content]:min-h-32!"
        />
        <Toolbar
          isSelection={isSelection}
          isEmpty={text.trim() === ''}
          busyWith={way}
          bounds={bounds}
          onBounds={setBounds}
          onGo={go}
          onStop={stop}
        />
      </div>
      {error instanceof FailedRun ? (
        <ErrorNotice title={error.title} error={error.cause} />
      ) : (
        <ErrorNotice error={error} />
      )}
      {error === null && outcome?.kind === 'rows' && <Result of={outcome.answer} ms={outcome.ms} />}
      {error === null && outcome?.kind === 'script' && <ScriptResults of={outcome.results} ms={outcome.ms} />}
      {error === null && outcome?.kind === 'plan' && <PlanTree of={outcome.plan} hasRun={outcome.hasRun} />}
      {error === null && outcome === undefined && (
        <Empty
          icon={<TerminalWindowIcon size={40} />}
          title="No query run yet"
          description="Rows appear here, or the query plan."
          contents={
            example !== undefined && (
              <Button onClick={() => type(example)}>
                <code>{example}</code>
              </Button>
            )
          }
        />
      )}
      {asking !== undefined && (
        <ConfirmDialog
          title={asking.way === 'analyze' ? 'Run the statement to explain it?' : 'Run what cannot be undone?'}
          action={asking.way === 'analyze' ? 'Run and explain' : 'Run it'}
          onConfirm={async () => agree(asking)}
          onClose={doNotAsk}
        >
          {asking.way === 'analyze' && (
            <p>
              EXPLAIN ANALYZE runs the statement to measure it. What it inserts, changes or deletes stays; its
              rows are not shown.
            </p>
          )}
          {asking.check !== undefined && <Losses of={asking.check} />}
        </ConfirmDialog>
      )}
      {history && (
        <HistoryPanel
          onTake={taken => {
            remember({ kept: taken })
            type(taken)
            void showHistory(false)
          }}
          onClose={() => showHistory(false)}
        />
      )}
    </Page>
  )
}
