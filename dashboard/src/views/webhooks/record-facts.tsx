// What is known of a webhook: how it goes on the left, what it sends on the right.

import { Link } from '@cloudflare/kumo'
import { CopyText } from '../../parts/copy-text.tsx'
import { Fact, Facts, None } from '../../parts/facts.tsx'
import { Time } from '../../parts/time.tsx'
import { milliseconds } from './attempt-result.tsx'
import type { WebhookWithWaiting } from './queries.ts'
import { tableOf, WebhookState } from './webhook-state.tsx'

const count = (value: number) => value.toLocaleString('en')

export function RecordFacts({ of: webhook }: { of: WebhookWithWaiting }) {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2 [&_dl>div]:sm:grid-cols-[8rem_minmax(0,1fr)]">
      <Health of={webhook} />
      <Settings of={webhook} />
    </div>
  )
}

function Health({ of: webhook }: { of: WebhookWithWaiting }) {
  const { statistics } = webhook
  const { waiting, oldest_waiting_at: oldest, next_attempt_at: next } = statistics
  return (
    <Facts>
      <Fact label="State">
        <WebhookState of={webhook} />
      </Fact>
      <Fact label="Waiting">
        {waiting === null ? (
          <None>not known just now</None>
        ) : (
          <span className="flex flex-wrap gap-x-2">
            {waiting === 0 ? (
              <None>nothing</None>
            ) : (
              <span>{`${count(waiting)} ${waiting === 1 ? 'event' : 'events'}`}</span>
            )}
            {oldest !== null && (
              <span className="text-kumo-subtle">
                the oldest of <Time at={oldest} />
                {next !== null && (
                  <>
                    , next attempt <Time at={next} />
                  </>
                )}
              </span>
            )}
          </span>
        )}
      </Fact>
      <Fact label="Failed in a row">{count(webhook.fail_count)}</Fact>
      <Fact label="Latency" help="p50, p95">
        {statistics.latency_ms_p50 === null || statistics.latency_ms_p95 === null ? (
          <None>not known</None>
        ) : (
          `${milliseconds(statistics.latency_ms_p50)}, ${milliseconds(statistics.latency_ms_p95)}`
        )}
      </Fact>
      <Fact label="Last delivered">
        {statistics.last_success_at === null ? (
          <None>not within 24 hours</None>
        ) : (
          <Time at={statistics.last_success_at} />
        )}
      </Fact>
    </Facts>
  )
}

function Settings({ of: webhook }: { of: WebhookWithWaiting }) {
  const headers = Object.keys(webhook.headers)
  return (
    <Facts>
      <Fact label="Table">
        <code>{tableOf(webhook)}</code>
      </Fact>
      <Fact label="URL">
        <CopyText value={webhook.url} whole />
      </Fact>
      <Fact label="Headers" help="values are never shown">
        {headers.length === 0 ? (
          <None />
        ) : (
          <ul className="code-text">
            {headers.map(name => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        )}
      </Fact>
      <Fact label="Signature">
        {webhook.has_secret ? (
          'Signed with a secret, which is never shown'
        ) : (
          <None>none: the receiver cannot verify the sender</None>
        )}
      </Fact>
      <Fact label="Id">
        <CopyText value={webhook.id} whole />
      </Fact>
      <Fact label="Created">
        <span className="flex flex-wrap gap-x-4">
          <Time at={webhook.created_at} />
          <Link href={`/audit-log?${new URLSearchParams({ target_kind: 'webhook', target_id: webhook.id })}`}>
            Its changes in the audit log
          </Link>
        </span>
      </Fact>
    </Facts>
  )
}
