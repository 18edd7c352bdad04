import { useQuery } from '@tanstack/react-query'
import type { Schema } from '../../../api/client.ts'
import { oauthHealthQuery } from '../../../api/platform.ts'
import { Fact, Facts } from '../../../parts/facts.tsx'
import { Loaded, Outline } from '../../../parts/loaded.tsx'
import { State, type Tone } from '../../../parts/state.tsx'

type Mode = Schema<'OAuthServerHealth'>['dynamic_client_registration']

const MODES: Record<Mode, { tone: Tone; word: string; sentence: string }> = {
  enabled: {
    tone: 'attention',
    word: 'On',
    sentence:
      'Anyone who reaches the server may register a client. Such clients are not in Quoin’s audit log.',
  },
  disabled: {
    tone: 'neutral',
    word: 'Off',
    sentence: 'Clients are made here or through /v1/oauth2/clients. Most deployments want it so.',
  },
  unknown: {
    tone: 'attention',
    word: 'Not known',
    sentence: 'The server’s answer does not tell.',
  },
}

/** Asked of the server itself: the document may name an endpoint that answers nobody. */
export function Registration() {
  const query = useQuery(oauthHealthQuery)
  return (
    <Loaded query={query} outline={<Outline rows={1} />}>
      {({ dynamic_client_registration: mode }) => (
        <Facts>
          <Fact label="Dynamic registration" help="Applications that register themselves">
            <State tone={MODES[mode].tone}>{MODES[mode].word}</State>
            <p className="mt-0.5 text-kumo-subtle">{MODES[mode].sentence}</p>
          </Fact>
        </Facts>
      )}
    </Loaded>
  )
}
