// What a JWT says, and whether it is good. All of it happens here: a pasted token is sent nowhere.

import { Button, Empty } from '@cloudflare/kumo'
import { FingerprintIcon, ShieldCheckIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useRouter } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { handOverToken, takePastedToken } from '../../../app/pasted-token.ts'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { cleanToken, readJwt } from '../../../parts/jwt.ts'
import { Page } from '../../../parts/page.tsx'
import { Time } from '../../../parts/time.tsx'
import { exampleToken } from './example.ts'
import { publicKeysQuery } from './queries.ts'
import { Reading } from './reading.tsx'
import { TokenField } from './token-field.tsx'

export function JwtDebuggerPage() {
  const [token, setToken] = useState('')
  const router = useRouter()
  const { state } = useLocation()
  const query = useQuery(publicKeysQuery)
  const reading = useMemo(() => readJwt(token), [token])

  // The search may hand over another token while this page is open.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each way here has a state of its own
  useEffect(() => {
    const pasted = takePastedToken()
    if (pasted !== undefined) setToken(cleanToken(pasted))
  }, [state])

  const introspect = () => {
    handOverToken(token)
    router.history.push('/oauth2/tokens')
  }
  return (
    <Page
      title="JWT debugger"
      lead="Shows what a token says and whether it is good. Nothing that you paste leaves this page."
      actions={
        token !== '' && (
          <>
            <Button onClick={() => setToken('')}>Clear</Button>
            <Button
              variant="primary"
              onClick={introspect}
              title="The next page asks the OAuth2 server about it"
            >
              Introspect it
            </Button>
          </>
        )
      }
    >
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
        <div className="flex min-w-0 flex-col gap-4 lg:sticky lg:top-0">
          <TokenField
            token={token}
            faulty={reading.kind === 'malformed' ? reading.part : undefined}
            onChange={setToken}
          />
          <Fetched query={query} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          {reading.kind === 'empty' ? (
            <Empty
              icon={<FingerprintIcon size={40} />}
              title="No token yet"
              description="Paste one, and its claims stand here, explained, with its lifetime and its signature."
              contents={<Button onClick={() => setToken(exampleToken(new Date()))}>Show an example</Button>}
            />
          ) : (
            <Reading
              of={reading}
              keys={query.data}
              isReading={query.data === undefined && query.isFetching}
            />
          )}
        </div>
      </div>
    </Page>
  )
}

/** What this page has asked for, and when: the public keys, nothing else. */
function Fetched({ query }: { query: ReturnType<typeof useQuery<unknown[]>> }) {
  const { data, error, failureReason, dataUpdatedAt, isFetching, refetch } = query
  return (
    <div className="flex flex-col gap-2 text-kumo-subtle">
      <ErrorNotice error={error ?? failureReason} title="The public keys could not be read" />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <ShieldCheckIcon aria-hidden="true" className="shrink-0" />
        <span className="min-w-0 flex-1 basis-60">
          {data === undefined ? (
            'This page fetches the public keys of the OAuth2 server, and nothing else.'
          ) : (
            <>
              This page fetched {data.length} public {data.length === 1 ? 'key' : 'keys'} of the OAuth2 server
              (GET /api/oauthsrv/jwks) <Time at={new Date(dataUpdatedAt)} />, and nothing else.
            </>
          )}
        </span>
        <Button size="sm" loading={isFetching} onClick={() => void refetch()}>
          Fetch again
        </Button>
      </div>
    </div>
  )
}
