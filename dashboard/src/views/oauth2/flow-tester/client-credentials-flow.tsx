// Client credentials: one request.

import { useState } from 'react'
import { OAUTH_PUBLIC_URL } from '../../../api/addresses.ts'
import { AskedFields } from './asked-fields.tsx'
import { FlowLayout } from './flow-layout.tsx'
import { circumstancesOf, type FlowProps } from './flow-props.ts'
import { isGood } from './http-exchange.ts'
import { clientCredentialsRequest } from './requests.ts'
import { Sending } from './sending.tsx'
import { Aside, Step } from './step.tsx'
import { hasUses, TokensStep } from './tokens-step.tsx'
import { exchangeOf, useRun } from './use-run.ts'

export function ClientCredentialsFlow({ client, access }: FlowProps) {
  const { run, send } = useRun('client_credentials')
  const [asked, setAsked] = useState({ scope: client.scope, audience: '' })
  const circumstances = circumstancesOf(client, asked)
  const request = clientCredentialsRequest(OAUTH_PUBLIC_URL, access, asked)
  const exchange = exchangeOf(run, 'token')
  const answer = exchange?.answer
  return (
    <FlowLayout run={run}>
      <Step
        number={1}
        isPast={hasUses(run)}
        title="Ask for a token"
        lead="The application shows who it is, with its own secret, and gets an access token for itself."
        state={answer === undefined ? 'ready' : isGood(answer) ? 'done' : 'failed'}
      >
        <AskedFields client={client} asked={asked} onChange={setAsked} />
        <Sending
          request={request}
          exchange={exchange}
          action="Ask for a token"
          circumstances={circumstances}
          onSend={() => void send('token', request)}
        />
        <Aside title="Why there is no PKCE here">
          <p>
            PKCE protects a code on its way through a browser. Here is neither: the application asks the
            server itself, and its secret is the proof. So the secret must stay on a server.
          </p>
        </Aside>
      </Step>
      <TokensStep
        number={2}
        run={run}
        send={send}
        access={access}
        circumstances={circumstances}
        nonce={undefined}
      />
    </FlowLayout>
  )
}
