// Whether people can sign in for applications, and what the OAuth2 server must know for that.

import { useQuery } from '@tanstack/react-query'
import { bridgeQuery } from '../../../api/platform.ts'
import { CopyText } from '../../../parts/copy-text.tsx'
import { Fact, Facts } from '../../../parts/facts.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page.tsx'
import { State } from '../../../parts/state.tsx'

export function Bridge() {
  const query = useQuery(bridgeQuery)
  return (
    <Section title="Login and consent" lead="Between the OAuth2 server and the identity provider.">
      <Loaded query={query}>
        {status => (
          <Facts>
            <Fact label="OAuth2 server">
              <Configured is={status.oauth_server_configured} what="OAUTH_PUBLIC_URL and OAUTH_ADMIN_URL" />
            </Fact>
            <Fact label="Identity provider">
              <Configured is={status.identity_configured} what="IDENTITY_PUBLIC_URL" />
            </Fact>
            <Fact label="Bridge">
              {status.bridge_ready ? (
                <State tone="good">Ready</State>
              ) : (
                <State tone="bad">Not ready: it needs both of the above</State>
              )}
            </Fact>
            <Fact label="Login URL" help="urls.login of the server">
              <CopyText value={status.login_url} whole label="Copy login URL" />
            </Fact>
            <Fact label="Consent URL" help="urls.consent of the server">
              <CopyText value={status.consent_url} whole label="Copy consent URL" />
            </Fact>
          </Facts>
        )}
      </Loaded>
    </Section>
  )
}

function Configured({ is: isConfigured, what }: { is: boolean; what: string }) {
  if (isConfigured) return <State tone="good">Configured</State>
  return (
    <>
      <State tone="bad">Not configured</State>
      <p className="mt-0.5 text-kumo-subtle">Set {what} for the Worker.</p>
    </>
  )
}
