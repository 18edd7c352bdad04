// The plan, and what has been used of it this month.

import { useQuery } from '@tanstack/react-query'
import { bytesText } from '../../parts/bytes.ts'
import { CopyText } from '../../parts/copy-text.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page, Section } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { type Billing, billingQuery } from './queries.ts'
import { Usage } from './usage.tsx'

const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })

const count = (value: number) => value.toLocaleString('en')

export function BillingPage() {
  const query = useQuery(billingQuery)
  return (
    <Page
      title="Billing"
      lead="What was used this month, beside the quotas of the plan. Quotas are shown and not enforced."
    >
      <Loaded query={query}>
        {billing => (
          <>
            <Facts>
              <Fact label="Plan">{billing.plan.name}</Fact>
              <Fact label="Project">
                <CopyText value={billing.project_id} whole label="Copy id of the project" />
              </Fact>
              <Fact label="Period" help="In UTC">
                {month.format(new Date(billing.period.from))}; it ends <Time at={billing.period.to} />
              </Fact>
            </Facts>
            <Section title="Usage">
              <UsageList of={billing} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function UsageList({ of: { plan, usage, projection } }: { of: Billing }) {
  return (
    <ul className="grid gap-3 lg:grid-cols-3">
      <Usage label="Requests" used={usage.requests} quota={plan.requests_per_month} format={count}>
        {projection === null
          ? 'A projection needs a day of requests to go by.'
          : projectionWords(projection.requests, plan.requests_per_month)}
      </Usage>
      <Usage
        label="Size of the database"
        used={usage.database_bytes}
        quota={plan.database_bytes}
        format={bytesText}
      >
        Shared by all projects of this deployment.
      </Usage>
      <Usage label="Stored files" used={usage.storage_bytes} quota={plan.storage_bytes} format={bytesText}>
        {usage.storage_bytes === null ? 'This deployment stores no files.' : undefined}
      </Usage>
    </ul>
  )
}

function projectionWords(requests: number, quota: number | null): string {
  const words = `If it goes on like this, about ${count(requests)} by the end of the month (estimated)`
  return quota !== null && requests > quota ? `${words}, which is over the quota.` : `${words}.`
}
