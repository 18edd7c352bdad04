// Authorization code with PKCE, step by step. This page is the application; the person signs in in a window beside it.

import { Button, Select } from '@cloudflare/kumo'
import { useState } from 'react'
import { OAUTH_PUBLIC_URL } from '../../../api/addresses.ts'
import { AskedFields } from './asked-fields.tsx'
import { checkCallback } from './callback.ts'
import { FlowLayout } from './flow-layout.tsx'
import { circumstancesOf, type FlowProps } from './flow-props.ts'
import { isGood } from './http-exchange.ts'
import { PairList } from './pair-list.tsx'
import { newSecrets, type RunSecrets } from './pkce.ts'
import { type AuthorizationAsked, authorizationRequest, codeRequest } from './requests.ts'
import { Sending } from './sending.tsx'
import { SignInStep } from './sign-in-step.tsx'
import { CALLBACK_URL } from './sign-in-window.ts'
import { Aside, Step } from './step.tsx'
import { hasUses, TokensStep } from './tokens-step.tsx'
import { exchangeOf, useRun } from './use-run.ts'

const UNSAID = 'the server’s choice'

export function CodeFlow({ client, access }: FlowProps) {
  const { run, dispatch, send } = useRun('code')
  const [asked, setAsked] = useState<AuthorizationAsked>({ scope: client.scope, audience: '', prompt: '' })
  const [secrets, setSecrets] = useState<RunSecrets>()
  // What was asked for when this run was prepared: the fields may change afterwards.
  const [prepared, setPrepared] = useState(asked)
  const circumstances = circumstancesOf(client, prepared)

  const prepare = async () => {
    dispatch({ kind: 'begun again' })
    setPrepared(asked)
    setSecrets(await newSecrets())
  }
  const checks =
    secrets && run.callback
      ? checkCallback(run.callback, { state: secrets.state, issuer: OAUTH_PUBLIC_URL })
      : []
  const code = checks.some(({ result }) => result === 'bad') ? undefined : run.callback?.code
  const request =
    secrets &&
    code &&
    codeRequest(OAUTH_PUBLIC_URL, access, { code, redirectUri: CALLBACK_URL, verifier: secrets.verifier })
  const exchange = exchangeOf(run, 'token')
  return (
    <FlowLayout run={run}>
      <Step
        number={1}
        title="Prepare the request"
        lead="The application makes secrets that nobody else knows, for this one run."
        state={secrets === undefined ? 'ready' : 'done'}
        isPast={code !== undefined}
      >
        <AskedFields client={client} asked={asked} onChange={setAsked} />
        <Select
          label="Prompt"
          description="login: type the password again. consent: ask again. none: ask nothing, or fail."
          value={asked.prompt === '' ? UNSAID : asked.prompt}
          onValueChange={prompt => setAsked({ ...asked, prompt: prompt === UNSAID ? '' : String(prompt) })}
          className="w-56"
        >
          {[UNSAID, 'login', 'consent', 'none'].map(prompt => (
            <Select.Option key={prompt} value={prompt}>
              {prompt}
            </Select.Option>
          ))}
        </Select>
        <div>
          <Button variant={secrets === undefined ? 'primary' : 'secondary'} onClick={() => void prepare()}>
            {secrets === undefined ? 'Prepare the request' : 'Prepare it anew'}
          </Button>
        </div>
        {secrets !== undefined && (
          <div className="rounded-md border border-kumo-line pt-1">
            <PairList
              pairs={[
                { name: 'code_verifier', value: secrets.verifier },
                { name: 'code_challenge', value: secrets.challenge },
                { name: 'state', value: secrets.state },
                { name: 'nonce', value: secrets.nonce },
              ]}
            />
          </div>
        )}
        <Aside title="What would be different without PKCE">
          <p>
            The code comes back in an address, and addresses leak: into histories, logs and other applications
            of a phone. Without PKCE whoever finds the code first gets the tokens.
          </p>
          <p>
            With it the server keeps only the hash (code_challenge). The code is good for nobody but the
            application that shows the verifier in step 3. A public client, which has no secret, must use it.
          </p>
        </Aside>
      </Step>
      <SignInStep
        request={
          secrets && authorizationRequest(OAUTH_PUBLIC_URL, access.id, CALLBACK_URL, prepared, secrets)
        }
        expectedState={secrets?.state}
        isPast={run.tokens !== undefined}
        callback={run.callback}
        checks={checks}
        circumstances={circumstances}
        dispatch={dispatch}
      />
      <Step
        number={3}
        isPast={hasUses(run)}
        title="Exchange the code"
        lead="The application hands in the code with the verifier, from behind: no address of the browser holds tokens."
        state={
          !request
            ? 'waiting'
            : exchange?.answer === undefined
              ? 'ready'
              : isGood(exchange.answer)
                ? 'done'
                : 'failed'
        }
      >
        {request && (
          <>
            <Sending
              request={request}
              exchange={exchange}
              action="Exchange the code"
              circumstances={circumstances}
              onSend={() => void send('token', request)}
            />
            <Aside title="What would be different without PKCE">
              <p>
                There would be no code_verifier. A stolen code would be as good in the thief's hands, and a
                code that a thief slips to this application would be taken for its own.
              </p>
            </Aside>
          </>
        )}
      </Step>
      <TokensStep
        number={4}
        run={run}
        send={send}
        access={access}
        circumstances={circumstances}
        nonce={secrets?.nonce}
      />
    </FlowLayout>
  )
}
