// The servers outside of Quoin that it speaks to.

import { Link } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { IDENTITY_PUBLIC_URL } from '../../api/addresses.ts'
import type { Schema } from '../../api/client.ts'
import { bridgeQuery, oauthHealthQuery, statusQuery } from '../../api/platform.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Loaded, Outline } from '../../parts/loaded.tsx'
import { Section } from '../../parts/page.tsx'
import { State, type Tone } from '../../parts/state.tsx'

type Port = Schema<'OAuthServerHealth'>['public']

const PORTS: Record<Port['state'], { tone: Tone; words: string }> = {
  up: { tone: 'good', words: 'Answers' },
  down: { tone: 'bad', words: 'Does not answer' },
  misconfigured: { tone: 'bad', words: 'Something else answers there, or it refuses Quoin' },
  not_configured: { tone: 'neutral', words: 'No address is set' },
}

export function Systems() {
  const health = useQuery(oauthHealthQuery)
  const bridge = useQuery(bridgeQuery)
  const status = useQuery(statusQuery)
  return (
    <Section
      title="Outside systems"
      lead="Each is asked while you look; an address is a variable of the Worker."
      actions={<Link href="/gateway">Every part, with its latency</Link>}
    >
      <Loaded query={health} outline={<Outline rows={2} />}>
        {({ public: publicPort, admin, dynamic_client_registration: registration }) => (
          <Facts>
            <Fact label="OAuth2 server, public" help="OAUTH_PUBLIC_URL">
              <PortState of={publicPort} />
            </Fact>
            <Fact label="OAuth2 server, admin" help="OAUTH_ADMIN_URL">
              <PortState of={admin} />
            </Fact>
            <Fact label="Applications may register themselves">
              {{ enabled: 'yes', disabled: 'no', unknown: 'not known' }[registration]}
            </Fact>
            <Fact label="Identity provider" help="IDENTITY_PUBLIC_URL">
              <State tone="good">It has let you in here</State>
              <span className="block text-kumo-subtle">{IDENTITY_PUBLIC_URL}</span>
            </Fact>
            {status.data !== undefined && <Permissions of={status.data.permissions} />}
            {bridge.data !== undefined && (
              <Fact label="Login and consent bridge" help="Between the two above">
                <State tone={bridge.data.bridge_ready ? 'good' : 'attention'}>
                  {bridge.data.bridge_ready ? 'Configured' : 'An address is not set'}
                </State>
              </Fact>
            )}
          </Facts>
        )}
      </Loaded>
    </Section>
  )
}

function PortState({ of: { state, latency_ms: latency } }: { of: Port }) {
  const { tone, words } = PORTS[state]
  return <State tone={tone}>{latency === null ? words : `${words}, in ${latency} ms`}</State>
}

function Permissions({
  of: { state, missing_namespaces: missing },
}: {
  of: Schema<'PlatformStatus'>['permissions']
}) {
  return (
    <Fact label="Permission server" help="PERMISSION_READ_URL">
      {state === 'off' && <State tone="neutral">No address is set</State>}
      {state === 'down' && <State tone="bad">Does not answer</State>}
      {state === 'up' &&
        (missing === null || missing.length === 0 ? (
          <State tone="good">Answers, and knows every namespace</State>
        ) : (
          <State tone="attention">Does not know {missing.join(', ')}</State>
        ))}
    </Fact>
  )
}
