// One attempt beside the log: what was sent and what came back, side by side, and the way to send it again.

import { Banner, Button, Link } from '@cloudflare/kumo'
import { ArrowCounterClockwiseIcon, WarningCircleIcon } from '@phosphor-icons/react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { JsonView } from '../../parts/code-editor.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Fact, Facts, None } from '../../parts/facts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { SidePanel } from '../../parts/side-panel.tsx'
import { Time } from '../../parts/time.tsx'
import { AttemptBanner, milliseconds, Outcome, ResponseBody } from './attempt-result.tsx'
import { failureWords } from './attempt-words.ts'
import { type Delivery, logEntryQuery, replayDelivery, type Webhook } from './queries.ts'

export function DeliveryPanel({
  webhook,
  id,
  others,
  hrefOf,
  onClose,
}: {
  webhook: Webhook
  id: string
  /** The entries that the list has, for other attempts of the same event. */
  others: readonly Delivery[]
  hrefOf: (id: string) => string
  onClose: () => void
}) {
  const listed = others.find(entry => entry.id === id)
  const query = useQuery({ ...logEntryQuery(webhook.id, id), initialData: listed })
  const replay = useMutation({ mutationFn: () => replayDelivery(webhook.id, id) })
  const entry = query.data
  return (
    <SidePanel
      isWide
      title={entry === undefined ? 'Delivery' : `${entry.event_type} to “${webhook.name}”`}
      actions={
        entry !== undefined && (
          <Button
            icon={ArrowCounterClockwiseIcon}
            loading={replay.isPending}
            disabled={entry.payload === null}
            title={entry.payload === null ? 'The log keeps no payload over 1 MiB' : undefined}
            onClick={() => replay.mutate()}
          >
            Replay
          </Button>
        )
      }
      onClose={onClose}
    >
      <ErrorNotice error={replay.error} title="It was not sent again" />
      {replay.data !== undefined && (
        <div className="flex flex-col gap-2">
          <AttemptBanner of={replay.data} what="The replay" />
          <Link href={hrefOf(replay.data.log_id)}>Show the replay’s own entry</Link>
        </div>
      )}
      <Loaded query={query}>{delivery => <Content of={delivery} others={others} hrefOf={hrefOf} />}</Loaded>
    </SidePanel>
  )
}

function Content({
  of: delivery,
  others,
  hrefOf,
}: {
  of: Delivery
  others: readonly Delivery[]
  hrefOf: (id: string) => string
}) {
  const { error, payload, status_code: status } = delivery
  const attempts = others.filter(
    other => other.message_id === delivery.message_id && other.id !== delivery.id,
  )
  return (
    <>
      {error !== null && (
        <Banner
          variant="error"
          size="sm"
          icon={<WarningCircleIcon weight="fill" />}
          title={failureWords(error).short}
          description={failureWords(error).long}
        />
      )}
      <div className="grid gap-4 md:grid-cols-2">
        <section className="flex min-w-0 flex-col gap-2">
          <h3 className="font-medium">Sent</h3>
          {payload === null ? (
            <None>Over 1 MiB: the log does not keep it.</None>
          ) : (
            <JsonView label="Payload that was sent" value={payload} />
          )}
        </section>
        <section className="flex min-w-0 flex-col gap-2">
          <h3 className="font-medium">Came back{status === null ? '' : `: ${status}`}</h3>
          <ResponseBody text={delivery.response_body} />
        </section>
      </div>
      <Facts>
        <Fact label="Outcome">
          <Outcome of={delivery} />
        </Fact>
        <Fact label="Time">
          <Time at={delivery.created_at} withUtc />
        </Fact>
        <Fact label="Latency">{milliseconds(delivery.latency_ms)}</Fact>
        <Fact label="Attempt">
          {delivery.replay_of === null ? (
            delivery.attempt
          ) : (
            <Link href={hrefOf(delivery.replay_of)}>A replay of an earlier one</Link>
          )}
        </Fact>
        {attempts.length > 0 && (
          <Fact label="Other attempts of this event" help="Among those in the list">
            <ul className="flex flex-col gap-1">
              {attempts.map(other => (
                <li key={other.id} className="flex flex-wrap gap-x-3">
                  <Link href={hrefOf(other.id)}>
                    {other.replay_of === null ? `Attempt ${other.attempt}` : 'Replay'}
                  </Link>
                  <Outcome of={other} />
                  <Time at={other.created_at} />
                </li>
              ))}
            </ul>
          </Fact>
        )}
        <Fact label="webhook-id" help="The same at every attempt">
          <CopyText value={delivery.message_id} whole />
        </Fact>
        <Fact label="Id of this entry">
          <CopyText value={delivery.id} whole />
        </Fact>
      </Facts>
    </>
  )
}
