// The browser goes to the OAuth2 server, in a window of its own, and its answer comes back to this page.

import { Banner, Button, LinkButton } from '@cloudflare/kumo'
import { ArrowSquareOutIcon, InfoIcon } from '@phosphor-icons/react'
import { type Dispatch, useEffect, useRef, useState } from 'react'
import { type Callback, type Check, readCallback } from './callback.ts'
import { CheckList } from './check-list.tsx'
import { ExchangeView } from './exchange-view.tsx'
import { type Circumstances, explainError, WRONG_REDIRECT_URI } from './explain.ts'
import { Explained } from './explained.tsx'
import type { HttpRequest } from './http-exchange.ts'
import { PairList } from './pair-list.tsx'
import type { RunEvent } from './run.ts'
import { listenForCallback, openWindow } from './sign-in-window.ts'
import { Step } from './step.tsx'

type Opened = 'not yet' | 'open' | 'closed' | 'blocked'
const LOOK_INTERVAL_MS = 1_000

export function SignInStep({
  request,
  expectedState,
  isPast,
  callback,
  checks,
  circumstances,
  dispatch,
}: {
  request: HttpRequest | undefined
  expectedState: string | undefined
  isPast: boolean
  callback: Callback | undefined
  checks: readonly Check[]
  circumstances: Circumstances
  dispatch: Dispatch<RunEvent>
}) {
  const [opened, setOpened] = useState<Opened>('not yet')
  const [strangers, setStrangers] = useState(0)
  const signIn = useRef<Window>(undefined)
  const isWaiting = expectedState !== undefined && callback === undefined

  // biome-ignore lint/correctness/useExhaustiveDependencies: another state is another run
  useEffect(() => {
    setOpened('not yet')
    setStrangers(0)
  }, [expectedState])

  useEffect(() => {
    if (!isWaiting) return
    return listenForCallback(search => {
      const answer = readCallback(search)
      // An answer that this run has not asked for must not be used, whoever sent it (RFC 6749 section 10.12).
      if (answer.state !== expectedState) {
        setStrangers(count => count + 1)
        return false
      }
      dispatch({ kind: 'came back', at: Date.now(), callback: answer })
      return true
    })
  }, [isWaiting, expectedState, dispatch])

  useEffect(() => {
    if (!isWaiting || opened !== 'open') return
    const timer = setInterval(() => signIn.current?.closed && setOpened('closed'), LOOK_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [isWaiting, opened])

  const open = () => {
    if (request === undefined) return
    signIn.current = openWindow(request.url)
    dispatch({ kind: 'window opened', at: Date.now() })
    setOpened(signIn.current === undefined ? 'blocked' : 'open')
  }
  const isFine = callback?.code !== undefined && checks.every(({ result }) => result !== 'bad')
  return (
    <Step
      number={2}
      isPast={isPast}
      title="Send the browser to sign in"
      lead="The browser goes to the OAuth2 server with the request in its address, and comes back with a code."
      state={
        request === undefined ? 'waiting' : callback === undefined ? 'ready' : isFine ? 'done' : 'failed'
      }
    >
      {request !== undefined && (
        <>
          <RedirectUriNotice circumstances={circumstances} />
          <div className="flex flex-wrap items-center gap-3">
            <Button
              variant={callback === undefined ? 'primary' : 'secondary'}
              icon={ArrowSquareOutIcon}
              onClick={open}
              disabled={callback !== undefined}
              title={callback === undefined ? undefined : 'Prepare it anew first: a state is used once'}
            >
              Open the sign-in window
            </Button>
            <span role="status" className="text-kumo-subtle">
              {callback === undefined && WAITING[opened]}
            </span>
          </div>
          {opened === 'blocked' && callback === undefined && (
            <div>
              <LinkButton href={request.url} target="_blank" rel="noopener noreferrer">
                Sign in in a new tab
              </LinkButton>
            </div>
          )}
          {strangers > 0 && (
            <p className="text-kumo-warning">
              An answer with another state came ({strangers}×). It is not of this run and was ignored.
            </p>
          )}
          {callback?.error !== undefined && (
            <Explained
              of={explainError(callback.error, callback.description, circumstances)}
              clientId={circumstances.client.client_id}
            />
          )}
          <ExchangeView request={request} />
          {callback !== undefined && <CameBack callback={callback} checks={checks} />}
        </>
      )}
    </Step>
  )
}

const WAITING: Record<Opened, string> = {
  'not yet': '',
  open: 'Waiting for the window. If it shows an error and does not come back, the request itself was refused there.',
  closed: 'The window was closed, and nothing came back.',
  blocked: 'This browser has blocked the window.',
}

/** The server sends nobody to an address that is not registered, so its refusal is seen in that window alone. */
function RedirectUriNotice({ circumstances }: { circumstances: Circumstances }) {
  const { client, redirectUri } = circumstances
  if (client.redirect_uris.includes(redirectUri)) return null
  return (
    <>
      <Explained
        of={{
          title: 'The server will refuse this redirect URI',
          what: WRONG_REDIRECT_URI,
          list: client.redirect_uris,
          isOfClient: true,
        }}
        clientId={client.client_id}
      />
      <Banner
        size="sm"
        variant="secondary"
        icon={<InfoIcon weight="fill" />}
        title="Add this page's callback to the client, or try and see the refusal"
        description={<code className="text-xs wrap-anywhere">{redirectUri}</code>}
      />
    </>
  )
}

/** The callback's query: the answer of this step. */
function CameBack({ callback, checks }: { callback: Callback; checks: readonly Check[] }) {
  const { code, error, description, state, iss } = callback
  const fields = { code, error, error_description: description, state, iss }
  return (
    <>
      <div className="overflow-hidden rounded-md border border-kumo-line">
        <p className="bg-kumo-recessed px-3 py-2 text-[13px] font-medium">The browser came back with</p>
        <PairList
          pairs={Object.entries(fields).flatMap(([name, value]) =>
            value === undefined ? [] : [{ name, value }],
          )}
        />
      </div>
      <CheckList label="Checks of the callback" checks={checks} />
    </>
  )
}
