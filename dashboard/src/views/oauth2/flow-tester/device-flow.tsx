// Device authorization: this page is the device, the person has a browser elsewhere.

import { useState } from 'react'
import { OAUTH_PUBLIC_URL } from '../../../api/addresses.ts'
import { AskedFields } from './asked-fields.tsx'
import { FlowLayout } from './flow-layout.tsx'
import { circumstancesOf, type FlowProps } from './flow-props.ts'
import { PollStep } from './poll-step.tsx'
import { readDeviceCodes } from './polling.ts'
import { deviceRequest } from './requests.ts'
import { sendDeviceRequest } from './send.ts'
import { Sending } from './sending.tsx'
import { Aside, Step } from './step.tsx'
import { hasUses, TokensStep } from './tokens-step.tsx'
import { exchangeOf, useRun } from './use-run.ts'
import { UserCodeStep } from './user-code-step.tsx'

export function DeviceFlow({ client, access }: FlowProps) {
  const { run, dispatch, send } = useRun('device')
  const [asked, setAsked] = useState({ scope: client.scope, audience: '' })
  const circumstances = circumstancesOf(client, asked)
  const request = deviceRequest(OAUTH_PUBLIC_URL, access, asked)
  const exchange = exchangeOf(run, 'device')
  const codes = readDeviceCodes(exchange?.answer)
  const begin = () => {
    dispatch({ kind: 'begun again' })
    const { scope, audience } = asked
    const secret =
      access.method === 'none' ? {} : { client_secret: access.secret, auth_method: access.method }
    void send('device', request, () =>
      sendDeviceRequest({
        client_id: access.id,
        ...(scope && { scope }),
        ...(audience && { audience }),
        ...secret,
      }),
    )
  }
  return (
    <FlowLayout run={run}>
      <Step
        number={1}
        isPast={exchangeOf(run, 'poll') !== undefined}
        title="Ask for codes"
        lead="The device asks for two codes: one that it keeps, and a short one that it shows."
        state={exchange?.answer === undefined ? 'ready' : codes === undefined ? 'failed' : 'done'}
      >
        <AskedFields client={client} asked={asked} onChange={setAsked} />
        <Sending
          request={request}
          exchange={exchange}
          action="Ask for codes"
          circumstances={circumstances}
          onSend={begin}
        />
        <Aside title="How this request was sent">
          <p>
            A device sends it as shown. The OAuth2 server does not let pages call this endpoint, so Quoin
            sends it in this page's place (POST /api/oauthsrv/device-authorization).
          </p>
        </Aside>
        <Aside title="Why there is no PKCE here">
          <p>
            No code goes through a browser's address: the device keeps its device_code and hands it in itself.
            What must not be done is to type in a code that somebody else sends (RFC 8628, section 5.4).
          </p>
        </Aside>
      </Step>
      <UserCodeStep
        codes={codes}
        issuedAt={exchange?.answeredAt}
        isDone={run.tokens !== undefined}
        onOpened={() => dispatch({ kind: 'window opened', at: Date.now() })}
      />
      <PollStep
        key={codes?.deviceCode}
        codes={codes}
        access={access}
        exchange={exchangeOf(run, 'poll')}
        circumstances={circumstances}
        isDone={run.tokens !== undefined}
        isPast={hasUses(run)}
        send={send}
      />
      <TokensStep
        number={4}
        run={run}
        send={send}
        access={access}
        circumstances={circumstances}
        nonce={undefined}
      />
    </FlowLayout>
  )
}
