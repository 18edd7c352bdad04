// Does the OAuth2 server answer, and what to do where it does not.

import { useQuery } from '@tanstack/react-query'
import type { Schema } from '../../../api/client.ts'
import { oauthHealthQuery } from '../../../api/platform.ts'
import { Fact, Facts } from '../../../parts/facts.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page.tsx'
import { State, type Tone } from '../../../parts/state.tsx'

type Port = Schema<'OAuthServerHealth'>['public']

const STATES: Record<Port['state'], { tone: Tone; word: string; advice?: string }> = {
  up: { tone: 'good', word: 'Up' },
  down: {
    tone: 'bad',
    word: 'Down',
    advice: 'It does not answer. Does the server run, and is {variable} right?',
  },
  misconfigured: {
    tone: 'attention',
    word: 'Not as it should be',
    advice: 'Something answers at {variable} that is not the OAuth2 server, or refuses Quoin.',
  },
  not_configured: { tone: 'neutral', word: 'Not configured', advice: 'Set {variable}.' },
}
const REGISTRATION = {
  enabled: 'On: applications may register themselves',
  disabled: 'Off',
  unknown: 'Not known',
}

export function ServerHealth() {
  const query = useQuery(oauthHealthQuery)
  return (
    <Section title="OAuth2 server">
      <Loaded query={query}>
        {health => (
          <Facts>
            <Fact label="Public port" help="Browsers and applications">
              <PortState of={health.public} variable="OAUTH_PUBLIC_URL" />
            </Fact>
            <Fact label="Admin port" help="Quoin alone">
              <PortState of={health.admin} variable="OAUTH_ADMIN_URL" />
            </Fact>
            <Fact label="Dynamic registration">{REGISTRATION[health.dynamic_client_registration]}</Fact>
          </Facts>
        )}
      </Loaded>
    </Section>
  )
}

function PortState({ of: { state, latency_ms: latency }, variable }: { of: Port; variable: string }) {
  const { tone, word, advice } = STATES[state]
  return (
    <>
      <State tone={tone}>{word}</State>
      {latency !== null && (
        <span className="ml-3 text-kumo-subtle tabular-nums">{`${latency.toLocaleString('en')} ms`}</span>
      )}
      {advice !== undefined && (
        <p className="mt-0.5 text-kumo-subtle">{advice.replace('{variable}', variable)}</p>
      )}
    </>
  )
}
