// How much is called, with what and how fast: figures, charts over time, and who and what is behind them.

import { Button, Empty, Link } from '@cloudflare/kumo'
import { ChartLineIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { inWords } from '../../parts/duration.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page, Section } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { Charts } from './charts.tsx'
import { Figures } from './figures.tsx'
import { KeyTable } from './key-table.tsx'
import { PERIODS, type Period } from './periods.ts'
import { type Metrics, metricsQuery } from './queries.ts'
import { RouteTable } from './route-table.tsx'
import { StepTable } from './step-table.tsx'

const view = getRouteApi('/metrics')

export function MetricsPage() {
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const { period = 'day' } = search
  const query = useQuery(metricsQuery(period))
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  return (
    <Page
      title="Metrics"
      lead="How much is called, what is answered and how fast."
      actions={<PeriodChoice period={period} onChoose={chosen => change({ period: chosen })} />}
    >
      <Loaded query={query}>
        {metrics =>
          metrics.requests.total + metrics.responses.total === 0 ? (
            <Empty
              icon={<ChartLineIcon size={40} />}
              title="No requests in this period"
              description="Requests appear here seconds after their answer. Choose a longer period, or call the API."
              contents={<Link href="/keys">API keys, to call it with</Link>}
            />
          ) : (
            <>
              <Figures of={metrics} />
              <Charts of={metrics} readAt={query.dataUpdatedAt} />
              <div className="flex flex-col gap-2">
                <Steps of={metrics} period={period} />
                <StepTable of={metrics} />
              </div>
              <Section title="Routes" lead="All answers; a route leads to its requests in the log.">
                <RouteTable of={metrics} sort={search.sort} onSort={sort => change({ sort })} />
              </Section>
              <Section
                title="API keys"
                lead="Requests that were let in: exact, and up to three minutes late."
              >
                <KeyTable
                  of={metrics.requests}
                  sort={search.keys_sort}
                  onSort={sort => change({ keys_sort: sort })}
                />
              </Section>
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function PeriodChoice({ period, onChoose }: { period: Period; onChoose: (period: Period) => void }) {
  return (
    <fieldset className="flex flex-wrap gap-1">
      <legend className="sr-only">Period</legend>
      {Object.entries(PERIODS).map(([id, { label }]) => (
        <Button
          key={id}
          variant={id === period ? 'secondary' : 'ghost'}
          aria-pressed={id === period}
          onClick={() => onChoose(id as Period)}
        >
          {label}
        </Button>
      ))}
    </fieldset>
  )
}

/** How fine the charts are, and why not finer. */
function Steps({ of: { from, step_seconds: seconds, responses }, period }: { of: Metrics; period: Period }) {
  const { minutes_kept_from: kept } = responses
  const { refreshMs } = PERIODS[period]
  return (
    <p className="text-kumo-subtle">
      One step is {inWords(seconds)}.{' '}
      {from < kept && (
        <>
          Answers in steps below an hour are kept since <Time at={kept} /> only.{' '}
        </>
      )}
      Where a line is dashed, not all is counted yet.
      {refreshMs !== false && ` This is read again every ${refreshMs / 1_000} seconds.`}
    </p>
  )
}
