// A request and its answer, whole.

import { TerminalIcon } from '@phosphor-icons/react'
import type { ReactNode } from 'react'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { prettyJson } from '../../../parts/exact-json.ts'
import { State } from '../../../parts/state.tsx'
import {
  curlOf,
  type HttpAnswer,
  type HttpRequest,
  hasFailed,
  isGood,
  type NoAnswer,
} from './http-exchange.ts'
import { PairList } from './pair-list.tsx'
import { isPending } from './run.ts'

/** `answer` undefined: not sent yet, or on its way; `tookMs` is how long the answer took. */
export function ExchangeView({
  request,
  answer,
  tookMs,
}: {
  request: HttpRequest
  answer?: HttpAnswer | NoAnswer | undefined
  tookMs?: number | undefined
}) {
  return (
    <div className="divide-y divide-kumo-hairline overflow-hidden rounded-md border border-kumo-line">
      <RequestView request={request} />
      {answer !== undefined && <AnswerView answer={answer} tookMs={tookMs} />}
    </div>
  )
}

function RequestView({ request }: { request: HttpRequest }) {
  const { method, url, headers, form, json } = request
  const { origin, pathname, searchParams } = new URL(url)
  const query = [...searchParams].map(([name, value]) => ({ name, value }))
  return (
    <div>
      <div className="flex items-start gap-2 bg-kumo-recessed px-3 py-2">
        <code className="min-w-0 flex-1 pt-0.5 wrap-anywhere">
          <strong>{method}</strong> {origin}
          {pathname}
        </code>
        <CopyButton text={curlOf(request)} size="xs" icon={TerminalIcon}>
          Copy as curl
        </CopyButton>
      </div>
      {query.length > 0 && <Part title="Query" pairs={query} />}
      {headers.length > 0 && <Part title="Headers" pairs={headers} />}
      {form !== undefined && <Part title="Form" pairs={form} />}
      {json !== undefined && <Body title="JSON" text={JSON.stringify(json, undefined, 2)} />}
    </div>
  )
}

function AnswerView({ answer, tookMs }: { answer: HttpAnswer | NoAnswer; tookMs: number | undefined }) {
  if (hasFailed(answer))
    return (
      <div className="bg-kumo-recessed px-3 py-2">
        <State tone="bad">No answer</State>
      </div>
    )
  const { status, headers, text } = answer
  const tone = isGood(answer) ? 'good' : isPending(answer) ? 'attention' : 'bad'
  return (
    <div>
      <div className="flex flex-wrap items-center gap-x-4 bg-kumo-recessed px-3 py-2">
        <State tone={tone}>
          <span className="code-text font-semibold">{status}</span>
        </State>
        {tookMs !== undefined && <span className="tabular-nums">{tookMs} ms</span>}
      </div>
      {headers.length > 0 && (
        <details className="border-t border-kumo-hairline">
          <summary className="cursor-pointer px-3 py-1.5 text-xs text-kumo-subtle">
            {headers.length} headers that a page may read
          </summary>
          <PairList pairs={headers} />
        </details>
      )}
      {text === '' ? (
        <p className="px-3 py-2 text-kumo-subtle">The body is empty.</p>
      ) : (
        <Body title="Body" text={prettyJson(text)} />
      )}
    </div>
  )
}

function Part({ title, pairs }: { title: string; pairs: Parameters<typeof PairList>[0]['pairs'] }) {
  return (
    <Titled title={title}>
      <PairList pairs={pairs} />
    </Titled>
  )
}

function Body({ title, text }: { title: string; text: string }) {
  return (
    <Titled title={title}>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        className="max-h-72 overflow-y-auto px-3 pb-2 text-xs leading-5 break-all whitespace-pre-wrap"
      >
        {text}
      </pre>
    </Titled>
  )
}

function Titled({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="border-t border-kumo-hairline">
      <p className="px-3 pt-2 pb-1 text-xs text-kumo-subtle">{title}</p>
      {children}
    </div>
  )
}
