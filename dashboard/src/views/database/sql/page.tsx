// SQL: a statement or a script, its answers or its plan. The Worker splits the text, and says what it would lose: that
// is asked about before it runs.

import { Button, Empty } from '@cloudflare/kumo'
import { ClockCounterClockwiseIcon, TerminalWindowIcon } from '@phosphor-icons/react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import { ApiError } from '../../../api/errors.ts'
import { CodeEditor } from '../../../parts/code-editor.tsx'
import type { TextRange } from '../../../parts/code-mirror.tsx'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { tablesQuery } from '../../../parts/database/tables-query.ts'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { useReloadGuard } from '../../../parts/leave-guard.tsx'
import { Page } from '../../../parts/page.tsx'
import { HistoryPanel } from './history-panel.tsx'
import { losesSomething, lossSentences } from './loss-words.ts'
import { memory } from './memory.ts'
import { placedInText, placeOfError } from './place.ts'
import { PlanTree } from './plan-tree.tsx'
import {
  type Bounds,
  checkSql,
  linesBefore,
  type Outcome,
  runScript,
  runSql,
  type SqlCheck,
  type Way,
} from './queries.ts'
import { Result } from './result.tsx'
import { ScriptResults } from './script-results.tsx'
import { Toolbar } from './toolbar.tsx'

const view = getRouteApi('/database/sql')

/** What was asked for, as it was when it was asked. */
interface Asked {
  way: Way
  /** The text of the editor, and what of it is sent: all, or what is selected, from `from` on. */
  text: string
  sent: string
  from: number
  /** What the Worker said of it; undefined for what is no SQL. */
  check?: SqlCheck | undefined
}

/** A script that failed. What it has changed is undone: `title` says so. */
class ScriptError extends Error {
  readonly title: string

  constructor(title: string, cause: Error) {
    super(cause.message, { cause })
    this.title = title
  }
}

export function SqlPage() {
  const { history } = view.useSearch()
  const navigate = view.useNavigate()
  const [text, setText] = useState(memory.text)
  const [outcome, setOutcome] = useState(memory.outcome)
  const [selection, setSelection] = useState<TextRange>({ from: 0, to: 0 })
  const [bounds, setBounds] = useState({ rowLimit: 1_000, timeoutMs: 10_000 })
  const [mark, setMark] = useState<TextRange>()
  const [asking, setAsking] = useState<Asked>()
  const { data } = useQuery(tablesQuery)
  const completions = useMemo(() => completionsOf(data?.tables ?? []), [data])
  const example = exampleOf(data?.tables ?? [])
  const isSelection = selection.from < selection.to

  const waiting = useRef<AbortController>(undefined)

  const run = useMutation({
    /** Checked first, unless it was agreed to: then it is what was checked. */
    mutationFn: async ({ asked, isAgreed }: { asked: Asked; isAgreed: boolean }) => {
      waiting.current = new AbortController()
      const { signal } = waiting.current
      setMark(undefined)
      let { check } = asked
      let isSent = isAgreed
      try {
        if (!isAgreed) check = await checkSql(asked.sent, signal)
        if (!isAgreed && mustAsk(asked.way, check)) return setAsking({ ...asked, check })
        isSent = true
        memory.outcome = await send({ ...asked, check }, bounds, signal)
        if (asked.sent === asked.text) memory.kept = asked.text
        setOutcome(memory.outcome)
      } catch (err) {
        // The server does not notice who has gone.
        if (signal.aborted)
          throw new Error(
            isSent
              ? `Nobody waits for it any more. It may run on, for ${bounds.timeoutMs / 1_000} s in all.`
              : 'It was not run.',
          )
        if (!(err instanceof Error)) throw err
        const { error, place } = placed(err, { ...asked, check })
        setMark(place)
        throw error
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
    const sent = isSelection ? text.slice(selection.from, selection.to) : text
    run.mutate({ asked: { way, text, sent, from: isSelection ? selection.from : 0 }, isAgreed: false })
  }
  const showHistory = (isShown: boolean) => navigate({ search: { history: isShown || undefined } })

  return (
    <Page
      title="SQL"
      lead={
        'Runs as service_role, which sees every row; several statements run in one transaction. It asks before rows ' +
        'or objects are lost, as far as it sees: what functions and DO blocks do, it does not.'
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
          mark={mark}
          hint="select * from …    Ctrl or Cmd Enter runs it, or what is selected of it"
          className="max-h-[45vh] [&_.cm-content]:min-h-32!"
        />
        <Toolbar
          isSelection={isSelection}
          isEmpty={text.trim() === ''}
          busyWith={run.isPending ? run.variables.asked.way : undefined}
          bounds={bounds}
          onBounds={setBounds}
          onGo={go}
          onStop={() => waiting.current?.abort()}
        />
      </div>
      {run.error instanceof ScriptError ? (
        <ErrorNotice title={run.error.title} error={run.error.cause as Error} />
      ) : (
        <ErrorNotice error={run.error} />
      )}
      {!run.isError && outcome?.kind === 'rows' && <Result of={outcome.answer} ms={outcome.ms} />}
      {!run.isError && outcome?.kind === 'script' && <ScriptResults of={outcome.results} ms={outcome.ms} />}
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
      {asking !== undefined && (
        <ConfirmDialog
          title={asking.way === 'analyze' ? 'Run the statement to explain it?' : 'Run what cannot be undone?'}
          action={asking.way === 'analyze' ? 'Run and explain' : 'Run it'}
          onConfirm={async () => run.mutate({ asked: asking, isAgreed: true })}
          onClose={() => setAsking(undefined)}
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

/** So many fit into a dialog. More scroll by themselves: the question and the first of them stay in sight. */
const SENTENCES_WHOLE_MAX = 4

function Losses({ of: check }: { of: SqlCheck }) {
  const sentences = lossSentences(check)
  if (sentences.length === 0) return null
  return (
    <ul
      className="flex max-h-[40dvh] list-disc flex-col gap-1 overflow-y-auto pl-5 [overflow-wrap:anywhere]"
      tabIndex={sentences.length > SENTENCES_WHOLE_MAX ? 0 : undefined}
      aria-label="What is lost"
    >
      {sentences.map(sentence => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}

function mustAsk(way: Way, check: SqlCheck | undefined): boolean {
  if (way === 'analyze') return check === undefined || check.statements.length === 1
  return way === 'run' && check !== undefined && losesSomething(check)
}

function send({ way, sent, check }: Asked, bounds: Bounds, signal: AbortSignal): Promise<Outcome> {
  const statements = check?.statements ?? []
  if (statements.length <= 1) return runSql(sent, way, bounds, signal)
  if (way === 'run') return runScript(statements, bounds, signal)
  throw new Error(`Explain takes one statement: select one of the ${statements.length}.`)
}

/** The error with its place in the whole text, and what to mark there. */
function placed(
  err: Error,
  { way, text, sent, from, check }: Asked,
): { error: Error; place?: TextRange | undefined } {
  const statements = check?.statements ?? []
  if (statements.length <= 1) {
    const place = placeOfError(err, sent, linesBefore(way))
    return {
      error: placedInText(err, text, from, linesBefore(way)),
      place: place && { from: from + place.from, to: from + place.to },
    }
  }
  const index = err instanceof ApiError ? err.statementIndex : undefined
  if (index === statements.length)
    return { error: new ScriptError('The script failed at its end, and nothing of it was kept', err) }
  const failed = index === undefined ? undefined : statements[index]
  if (index === undefined || failed === undefined) return { error: err }
  const begin = from + failed.offset
  const word = placeOfError(err, failed.sql, 0) ?? { from: 0, to: failed.sql.length }
  return {
    error: new ScriptError(
      `Statement ${index + 1} of ${statements.length} failed, and nothing of the script was kept`,
      placedInText(err, text, begin, 0),
    ),
    place: { from: begin + word.from, to: begin + word.to },
  }
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
