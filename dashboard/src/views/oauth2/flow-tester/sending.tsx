// A request that a button sends: as it will be, then as it was, with its answer and what a refusal means.

import { Button } from '@cloudflare/kumo'
import { ExchangeView } from './exchange-view.tsx'
import { type Circumstances, explainAnswer } from './explain.ts'
import { Explained } from './explained.tsx'
import type { HttpRequest } from './http-exchange.ts'
import type { Exchange } from './run.ts'

/** `action` is the button's words; it is offered until there was a good answer. */
export function Sending({
  request,
  exchange,
  action,
  circumstances,
  onSend,
}: {
  request: HttpRequest
  exchange: Exchange | undefined
  action: string
  circumstances: Circumstances
  onSend: () => void
}) {
  const isBusy = exchange !== undefined && exchange.answer === undefined
  return (
    <>
      <div>
        <Button
          variant={exchange?.answer === undefined ? 'primary' : 'secondary'}
          loading={isBusy}
          onClick={onSend}
        >
          {exchange?.answer === undefined ? action : `${action} again`}
        </Button>
      </div>
      <Sent exchange={exchange ?? { request }} circumstances={circumstances} />
    </>
  )
}

/** The same without a button. */
export function Sent({
  exchange,
  circumstances,
}: {
  exchange: Pick<Exchange, 'request'> & Partial<Exchange>
  circumstances: Circumstances
}) {
  const { request, answer, sentAt, answeredAt } = exchange
  const tookMs = sentAt === undefined || answeredAt === undefined ? undefined : answeredAt - sentAt
  return (
    <>
      <Explained
        of={answer === undefined ? undefined : explainAnswer(answer, circumstances)}
        clientId={circumstances.client.client_id}
      />
      <ExchangeView request={request} answer={answer} tookMs={tookMs} />
    </>
  )
}
