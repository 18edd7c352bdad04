import { Button } from '@cloudflare/kumo'
import { ArrowCounterClockwiseIcon } from '@phosphor-icons/react'
import { useMutation } from '@tanstack/react-query'
import { JsonView } from '../../parts/code-editor.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Fact, Facts, None } from '../../parts/facts.tsx'
import { SidePanel } from '../../parts/side-panel.tsx'
import { Time } from '../../parts/time.tsx'
import { AttemptBanner, ResponseBody } from './attempt-result.tsx'
import { DeadLetterState, reasonOf } from './dead-letter-words.tsx'
import { type DeadLetter, replayDeadLetter, type Webhook } from './queries.ts'

/** One event that was given up, and the way to send it again. */
export function DeadLetterPanel({
  webhook,
  of: letter,
  onClose,
}: {
  webhook: Webhook
  of: DeadLetter
  onClose: () => void
}) {
  const replay = useMutation({ mutationFn: () => replayDeadLetter(webhook.id, letter.id) })
  return (
    <SidePanel
      title={`Dead letter of “${webhook.name}”`}
      actions={
        <Button icon={ArrowCounterClockwiseIcon} loading={replay.isPending} onClick={() => replay.mutate()}>
          Replay
        </Button>
      }
      onClose={onClose}
    >
      <ErrorNotice error={replay.error} title="It was not sent again" />
      {replay.data !== undefined && (
        <>
          <AttemptBanner of={replay.data} what="The replay" />
          <ResponseBody text={replay.data.response_body} />
        </>
      )}
      <Facts>
        <Fact label="State">
          <DeadLetterState of={letter} />
        </Fact>
        <Fact label="Reason">{reasonOf(letter)}</Fact>
        <Fact label="Given up">
          <Time at={letter.created_at} withUtc />
        </Fact>
        {letter.resolved_at !== null && (
          <Fact label="Delivered">
            <Time at={letter.resolved_at} withUtc />
          </Fact>
        )}
        <Fact label="Id">
          <CopyText value={letter.id} whole />
        </Fact>
      </Facts>
      <section className="flex flex-col gap-2">
        <h3 className="font-medium">To be sent</h3>
        {letter.payload === null ? (
          <None>Over 1 MiB: kept, and not shown. “Replay failed” sends it.</None>
        ) : (
          <JsonView label="Payload to be sent" value={letter.payload} />
        )}
      </section>
    </SidePanel>
  )
}
