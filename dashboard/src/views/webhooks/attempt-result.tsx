// What one attempt came to: of a test, a replay or an entry of the log.

import { Banner } from '@cloudflare/kumo'
import { CheckCircleIcon, WarningCircleIcon } from '@phosphor-icons/react'
import { CodeEditor } from '../../parts/code-editor.tsx'
import { None } from '../../parts/facts.tsx'
import { State } from '../../parts/state.tsx'
import { failureWords } from './attempt-words.ts'
import type { Attempt, Delivery } from './queries.ts'

export function Outcome({
  of: { error, status_code: status },
}: {
  of: Pick<Delivery, 'error' | 'status_code'>
}) {
  if (error === null) return <State tone="good">Delivered</State>
  return <State tone="bad">{error === 'status' ? `Answered ${status}` : failureWords(error).short}</State>
}

/** A sentence on how it went: status and time it took, and what a failure means. */
export function AttemptBanner({ of: attempt, what }: { of: Attempt; what: string }) {
  const { ok, error, status_code: status, latency_ms: latency } = attempt
  const answered = status === null ? 'There was no answer' : `The receiver answered ${status}`
  return (
    <Banner
      variant={ok ? 'default' : 'error'}
      size="sm"
      role="status"
      icon={ok ? <CheckCircleIcon weight="fill" /> : <WarningCircleIcon weight="fill" />}
      title={ok ? `${what} was delivered` : `${what} was not delivered`}
      description={`${answered}, after ${milliseconds(latency)}. ${error === null ? '' : failureWords(error).long}`}
    />
  )
}

/** What the receiver sent back, as text whatever it is. */
export function ResponseBody({ text }: { text: string | null }) {
  if (text === null) return <None>There was no answer.</None>
  if (text === '') return <None>The answer had no body.</None>
  return (
    <CodeEditor
      label="Answer of the receiver"
      value={text}
      language={isJson(text) ? 'json' : 'text'}
      isReadOnly
    />
  )
}

export function milliseconds(value: number): string {
  return `${value.toLocaleString('en')} ms`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
