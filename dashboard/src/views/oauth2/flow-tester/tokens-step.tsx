// The tokens of a run, and what can be done with them.

import { Button, cn } from '@cloudflare/kumo'
import { CaretDownIcon } from '@phosphor-icons/react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { API_URL, OAUTH_PUBLIC_URL } from '../../../api/addresses.ts'
import { State } from '../../../parts/state.tsx'
import type { Circumstances } from './explain.ts'
import { hasFailed, isGood } from './http-exchange.ts'
import {
  type ClientAccess,
  introspectionRequest,
  refreshRequest,
  revocationRequest,
  userinfoRequest,
} from './requests.ts'
import type { Exchange, Run, StepName } from './run.ts'
import { sendIntrospection } from './send.ts'
import { Sent } from './sending.tsx'
import { Step } from './step.tsx'
import { TokenView } from './token-view.tsx'
import type { Send } from './use-run.ts'

type Use = Extract<StepName, 'userinfo' | 'introspect' | 'refresh' | 'reuse' | 'revoke'>

const USES: Record<Use, { title: string; words: string }> = {
  userinfo: { title: 'Userinfo', words: 'What the server tells an application about the person.' },
  introspect: {
    title: 'Introspection',
    words:
      'Whether the access token is good at this moment, asked through Quoin with your session. To ask from a ' +
      'terminal, put the cookie ory_kratos_session=… of this browser in place of YOUR_SESSION_COOKIE.',
  },
  refresh: {
    title: 'Refresh',
    words: 'New tokens without the person. The refresh token before is used up by it.',
  },
  reuse: {
    title: 'The old refresh token again',
    words:
      'It comes a second time, so two have it, and one is a thief. The server ends the whole grant: the newer tokens ' +
      'are dead too, as the introspection below shows.',
  },
  revoke: {
    title: 'Revocation',
    words: 'The application gives its token back; the server ends the grant with it.',
  },
}

/** Whether some use was made of the tokens: then the steps before are past. */
export function hasUses({ exchanges }: Run): boolean {
  return exchanges.some(({ step }) => isUse(step))
}

function isUse(step: StepName): step is Use {
  return step in USES
}

export function TokensStep({
  number,
  run,
  send,
  access,
  circumstances,
  nonce,
}: {
  number: number
  run: Run
  send: Send
  access: ClientAccess
  circumstances: Circumstances
  /** That was sent; undefined where none was. */
  nonce: string | undefined
}) {
  const { tokens, oldRefreshToken } = run
  const use = useMutation({
    mutationFn: async ({ work }: { step: Use; work: () => Promise<unknown> }) => {
      await work()
    },
  })
  const busy = use.isPending ? use.variables.step : undefined
  const introspect = (token: string) =>
    send('introspect', introspectionRequest(API_URL, token), () => sendIntrospection(token))
  const button = (step: Use, words: string, work: (() => Promise<unknown>) | undefined, whyNot?: string) => (
    <Button
      size="sm"
      disabled={work === undefined || (busy !== undefined && busy !== step)}
      loading={busy === step}
      title={work === undefined ? whyNot : undefined}
      onClick={() => work && use.mutate({ step, work })}
    >
      {words}
    </Button>
  )
  const uses = run.exchanges.filter(({ step }) => isUse(step))
  const newest = uses.at(-1)?.id
  return (
    <Step
      number={number}
      title="Use the tokens"
      lead="What they say, and what the server does with them."
      state={tokens === undefined ? 'waiting' : 'ready'}
    >
      {tokens !== undefined && (
        <>
          <TokenView name="Access token" token={tokens.access} words="Shown to an API with every call" />
          {tokens.refresh !== undefined && (
            <TokenView
              name="Refresh token"
              token={tokens.refresh}
              words="For the OAuth2 server alone: gets new tokens"
            />
          )}
          {tokens.id !== undefined && (
            <TokenView
              name="ID token"
              token={tokens.id}
              words="For the application alone: who has signed in"
              expected={{ issuer: OAUTH_PUBLIC_URL, clientId: access.id, nonce }}
            />
          )}
          <div className="flex flex-wrap gap-2">
            {run.flow !== 'client_credentials' &&
              button('userinfo', 'Call userinfo', () =>
                send('userinfo', userinfoRequest(OAUTH_PUBLIC_URL, tokens.access)),
              )}
            {button('introspect', 'Introspect access token', () => introspect(tokens.access))}
            {run.flow !== 'client_credentials' && (
              <>
                {button(
                  'refresh',
                  'Refresh',
                  tokens.refresh === undefined
                    ? undefined
                    : () => send('refresh', refreshRequest(OAUTH_PUBLIC_URL, access, tokens.refresh ?? '')),
                  'There is no refresh token: ask for the scope offline_access',
                )}
                {button(
                  'reuse',
                  'Use the old refresh token again',
                  oldRefreshToken === undefined
                    ? undefined
                    : async () => {
                        await send('reuse', refreshRequest(OAUTH_PUBLIC_URL, access, oldRefreshToken))
                        await introspect(tokens.access)
                      },
                  'Refresh first: then there is an old one',
                )}
              </>
            )}
            {button('revoke', 'Revoke', () =>
              send('revoke', revocationRequest(OAUTH_PUBLIC_URL, access, tokens.refresh ?? tokens.access)),
            )}
          </div>
          {uses.map(
            exchange =>
              isUse(exchange.step) && (
                <UseView
                  key={exchange.id}
                  title={USES[exchange.step].title}
                  words={USES[exchange.step].words}
                  exchange={exchange}
                  isOpenAtFirst={exchange.id === newest || exchange.step === 'reuse'}
                  circumstances={circumstances}
                />
              ),
          )}
        </>
      )}
    </Step>
  )
}

/** The newest is open; those before it fold themselves, but for a reuse, which the introspection after it explains. */
function UseView({
  title,
  words,
  exchange,
  isOpenAtFirst,
  circumstances,
}: {
  title: string
  words: string
  exchange: Exchange
  isOpenAtFirst: boolean
  circumstances: Circumstances
}) {
  const [isUnfolded, setUnfolded] = useState<boolean>()
  const { answer } = exchange
  const isOpen = isUnfolded ?? isOpenAtFirst
  return (
    <div className="rounded-md border border-kumo-line">
      <h3>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setUnfolded(!isOpen)}
          className="flex w-full cursor-pointer items-center gap-3 px-3 py-2 text-left font-medium"
        >
          <span className="flex-1">{title}</span>
          {answer !== undefined && (
            <State tone={isGood(answer) ? 'good' : 'bad'}>
              <span className="code-text">{hasFailed(answer) ? 'no answer' : answer.status}</span>
            </State>
          )}
          <CaretDownIcon aria-hidden="true" className={cn('shrink-0', isOpen && 'rotate-180')} />
        </button>
      </h3>
      {isOpen && (
        <div className="flex flex-col gap-3 px-3 pb-3">
          <p className="max-w-[75ch] text-kumo-subtle">{words}</p>
          <Sent exchange={exchange} circumstances={circumstances} />
        </div>
      )}
    </div>
  )
}
