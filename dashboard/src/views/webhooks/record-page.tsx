// One webhook: whether it is heard, what was sent, what came back, and what was given up.

import { Link, Tabs } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { Deliveries } from './deliveries.tsx'
import { DeliveryChart } from './delivery-chart.tsx'
import { HealthNotice } from './health-notice.tsx'
import { type WebhookWithWaiting, webhookQuery } from './queries.ts'
import { RecordActions } from './record-actions.tsx'
import { RecordFacts } from './record-facts.tsx'
import { tableOf } from './webhook-state.tsx'

const view = getRouteApi('/webhooks/$id')

const CRUMB = <Link href="/webhooks">Webhooks</Link>

export function WebhookPage() {
  const { id } = view.useParams()
  const query = useQuery(webhookQuery(id))
  if (query.data === undefined)
    return (
      <Page title="Webhook" crumb={CRUMB}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    )
  return (
    <Page
      title={query.data.name}
      lead={`Sends ${query.data.events.join(', ')} of ${tableOf(query.data)} to ${query.data.url}`}
      crumb={CRUMB}
      actions={<RecordActions of={query.data} />}
    >
      <Loaded query={query}>{webhook => <Record of={webhook} />}</Loaded>
    </Page>
  )
}

function Record({ of: webhook }: { of: WebhookWithWaiting }) {
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const tab = search.tab ?? 'deliveries'
  const { dead_letters: deadLetters } = webhook.statistics
  return (
    <>
      <HealthNotice of={webhook} />
      <RecordFacts of={webhook} />
      <DeliveryChart of={webhook} />
      <div className="flex flex-col gap-4">
        <Tabs
          variant="underline"
          value={tab}
          onValueChange={chosen =>
            navigate({
              search: { ...search, tab: chosen === 'dead-letters' ? chosen : undefined },
              replace: true,
            })
          }
          tabs={[
            { value: 'deliveries', label: 'Deliveries' },
            {
              value: 'dead-letters',
              label:
                deadLetters === 0 ? 'Dead letters' : `Dead letters (${deadLetters.toLocaleString('en')})`,
            },
          ]}
        />
        {tab === 'deliveries' ? <Deliveries of={webhook} /> : <DeadLetters of={webhook} />}
      </div>
    </>
  )
}
