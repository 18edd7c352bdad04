// What the server says of an active token, each fact with what it means.

import { Badge, Link } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { CopyText } from '../../../parts/copy-text.tsx'
import { Fact, Facts, None } from '../../../parts/facts.tsx'
import { clientQuery } from '../../../parts/oauth/queries.ts'
import { ownValue } from '../../../parts/own-value.ts'
import { State } from '../../../parts/state.tsx'
import { Time, wholeTime } from '../../../parts/time.tsx'
import type { ActiveToken } from './queries.ts'

const USES: Record<string, string> = {
  access_token: 'Access token: sent with each call of an API',
  refresh_token: 'Refresh token: exchanged for new tokens, once',
}

export function Active({ of: token }: { of: ActiveToken }) {
  const isOwn = token.sub === '' || token.sub === token.client_id
  return (
    <Facts>
      <Fact label="State">
        <State tone="good">Active</State>
      </Fact>
      <Fact label="What it is" help="token_use">
        {token.token_use === undefined ? (
          <None>not stated</None>
        ) : (
          (ownValue(USES, token.token_use) ?? token.token_use)
        )}
      </Fact>
      <Fact label="Expires" help="exp">
        <Moment at={token.exp} none="with its grant, not by itself" />
      </Fact>
      <Fact label="Issued" help="iat">
        <Moment at={token.iat} none="not stated" />
      </Fact>
      <Fact label="Subject" help="sub: for whom it speaks">
        {isOwn ? (
          'The client itself: nobody signed in'
        ) : (
          <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <CopyText value={token.sub} whole />
            <Link href={`/oauth2/consent?${new URLSearchParams({ subject: token.sub })}`}>
              What this person agreed to
            </Link>
          </span>
        )}
      </Fact>
      <Fact label="Client" help="client_id: who it was given to">
        <Client id={token.client_id} />
      </Fact>
      <Fact label="Scopes" help="scope: what it may be used for">
        <Scopes of={token.scope} />
      </Fact>
      <Fact label="Sent as" help="token_type">
        {token.token_type ?? <None>not stated</None>}
      </Fact>
    </Facts>
  )
}

/** `at` is Unix time in seconds. */
function Moment({ at, none }: { at: number | undefined; none: string }) {
  if (at === undefined) return <None>{none}</None>
  const date = new Date(at * 1_000)
  return (
    <>
      <Time at={date} /> <span className="ml-2 text-kumo-subtle">{wholeTime(date)}</span>
    </>
  )
}

function Client({ id }: { id: string }) {
  const { data } = useQuery(clientQuery(id))
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <Link href={`/oauth2/clients/${encodeURIComponent(id)}`}>{data?.client_name || 'Its client'}</Link>
      <CopyText value={id} whole />
    </span>
  )
}

function Scopes({ of: scope }: { of: string }) {
  const scopes = scope.split(' ').filter(Boolean)
  if (scopes.length === 0) return <None />
  return (
    <span className="flex flex-wrap gap-1.5">
      {scopes.map(name => (
        <Badge key={name} variant="secondary" className="font-mono font-normal">
          {name}
        </Badge>
      ))}
    </span>
  )
}
