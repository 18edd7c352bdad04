// What became of a run: what is applied, or what failed and where.

import { Banner } from '@cloudflare/kumo'
import { CheckCircleIcon, WarningCircleIcon } from '@phosphor-icons/react'
import { Fact, Facts } from '../../../parts/facts.tsx'
import type { RunResult } from './queries.ts'

type Failure = NonNullable<RunResult['failed']>

/** `wasOutside`: what failed ran outside of the transaction, where nothing is taken back. */
export function RunResultView({ of: result, wasOutside }: { of: RunResult; wasOutside: boolean }) {
  const { ok, summary, applied, failed } = result
  const isUntouched = failed !== null && applied.length === 0 && !wasOutside
  return (
    <>
      <Banner
        variant={ok ? 'default' : 'error'}
        role={ok ? 'status' : 'alert'}
        icon={ok ? <CheckCircleIcon weight="fill" /> : <WarningCircleIcon weight="fill" />}
        title={summary}
        description={isUntouched ? 'Nothing was changed.' : undefined}
      />
      {failed !== null && <FailureFacts of={failed} />}
      {applied.length > 0 && (
        <Facts>
          <Fact label="Applied">
            <ol className="code-text">
              {applied.map(({ name }) => (
                <li key={name}>{name}</li>
              ))}
            </ol>
          </Fact>
        </Facts>
      )}
    </>
  )
}

function FailureFacts({ of: failed }: { of: Failure }) {
  const { name, error, statement, line, code, detail, hint } = failed
  return (
    <Facts>
      <Fact label="Failed">
        <span className="code-text">{name}</span>
        {line !== null && `, line ${line}`}
      </Fact>
      <Fact label="Error">
        {error}
        {code !== null && <span className="ml-2 text-kumo-subtle">SQLSTATE {code}</span>}
      </Fact>
      {detail !== null && <Fact label="Detail">{detail}</Fact>}
      {hint !== null && <Fact label="Hint">{hint}</Fact>}
      {statement !== '' && (
        <Fact label="Statement">
          <code className="block max-h-40 overflow-y-auto whitespace-pre-wrap">{statement}</code>
        </Fact>
      )}
    </Facts>
  )
}
