// The state of the platform in full: what it is made of, what each part says, what is on and what is off.

import { Banner } from '@cloudflare/kumo'
import { WarningCircleIcon, WarningIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import type { Schema } from '../../api/client.ts'
import { statusQuery } from '../../api/platform.ts'
import { CopyText } from '../../parts/copy-text.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page, Section } from '../../parts/page.tsx'
import { State } from '../../parts/state.tsx'
import { Time } from '../../parts/time.tsx'
import { DatabaseFacts } from './database-facts.tsx'
import { Modules } from './modules.tsx'
import { RowChangeFacts } from './row-change-facts.tsx'
import { Systems } from './systems.tsx'

type PlatformStatus = Schema<'PlatformStatus'>

export function StatusPage() {
  const query = useQuery(statusQuery)
  return (
    <Page
      title="Status"
      lead="The parts of this deployment and their health. It is read again every 15 seconds."
    >
      <Loaded query={query}>
        {status => (
          <>
            <Notices of={status} />
            <Facts>
              <Fact label="State">
                {status.status === 'ok' ? (
                  <State tone="good">Well</State>
                ) : (
                  <State tone="bad">Degraded: the problems above say why</State>
                )}
              </Fact>
              <Fact label="Version">
                <CopyText value={status.version} whole />
              </Fact>
              <Fact label="Address of the API">
                <CopyText value={status.base_url} whole />
              </Fact>
              <Fact label="Read">
                <Time at={status.time} withUtc />
              </Fact>
              <Fact label="API keys in use" help="Neither revoked nor expired">
                {status.api_keys ?? 'not known'}
              </Fact>
            </Facts>
            <Section title="Database">
              <DatabaseFacts of={status.database} />
            </Section>
            <Section
              title="Row changes"
              lead="On their way from a table to the webhooks: recorded in the outbox, sent on by the listener."
            >
              <RowChangeFacts of={status.webhooks} />
            </Section>
          </>
        )}
      </Loaded>
      <Systems />
      <Modules />
    </Page>
  )
}

/** In the server's words, which say what to do. */
function Notices({ of: { problems, warnings } }: { of: PlatformStatus }) {
  return (
    <>
      {problems.map(problem => (
        <Banner key={problem} variant="error" icon={<WarningCircleIcon weight="fill" />} title={problem} />
      ))}
      {warnings.map(warning => (
        <Banner key={warning} variant="alert" icon={<WarningIcon weight="fill" />} title={warning} />
      ))}
    </>
  )
}
