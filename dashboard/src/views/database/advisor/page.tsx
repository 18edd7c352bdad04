// The advisor: what is wrong with the schema by level and check, and the SQL that mends it.

import { Button, Empty, Tabs } from '@cloudflare/kumo'
import { ArrowsClockwiseIcon, CheckCircleIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Loaded } from '../../../parts/loaded.tsx'
import { Page } from '../../../parts/page.tsx'
import { Time } from '../../../parts/time.tsx'
import { CheckSection } from './check-section.tsx'
import { type Advice, adviceQuery, type Finding } from './queries.ts'

const view = getRouteApi('/database/advisor')

export function AdvisorPage() {
  const query = useQuery(adviceQuery)
  return (
    <Page
      title="Advisor"
      lead="Faults of the schema, and what mends them. What anyone can read with an anon key was tried."
      actions={
        <Button icon={ArrowsClockwiseIcon} loading={query.isFetching} onClick={() => query.refetch()}>
          Check again
        </Button>
      }
    >
      <Loaded query={query}>{advice => <Content of={advice} />}</Loaded>
    </Page>
  )
}

const LEVELS = { error: 'Errors', warning: 'Warnings', info: 'Notes' } as const

function Content({ of: advice }: { of: Advice }) {
  const { level, category } = view.useSearch()
  const navigate = view.useNavigate()
  const change = (changed: Partial<ReturnType<typeof view.useSearch>>) =>
    navigate({ search: { level, category, ...changed }, replace: true })
  const ofCategory = advice.findings.filter(each => category === undefined || each.category === category)
  const shown = ofCategory.filter(each => level === undefined || each.level === level)
  const countOf = (wanted: Finding['level']) => ofCategory.filter(each => each.level === wanted).length
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <Tabs
          size="sm"
          value={level ?? 'all'}
          onValueChange={chosen =>
            change({ level: chosen === 'all' ? undefined : (chosen as Finding['level']) })
          }
          tabs={[
            { value: 'all', label: `All ${ofCategory.length}` },
            ...(['error', 'warning', 'info'] as const).map(each => ({
              value: each,
              label: `${LEVELS[each]} ${countOf(each)}`,
            })),
          ]}
        />
        <Tabs
          size="sm"
          value={category ?? 'all'}
          onValueChange={chosen =>
            change({ category: chosen === 'all' ? undefined : (chosen as Finding['category']) })
          }
          tabs={[
            { value: 'all', label: 'Everything' },
            { value: 'security', label: 'Security' },
            { value: 'performance', label: 'Performance' },
          ]}
        />
      </div>
      <Checked of={advice} />
      {shown.length === 0 ? (
        <Empty
          icon={<CheckCircleIcon size={40} />}
          title="No findings"
          description={
            advice.findings.length === 0
              ? `${advice.checks.length} checks found nothing in the schemas that the API serves.`
              : 'Nothing of this level and kind was found.'
          }
          contents={
            advice.findings.length > 0 && (
              <Button onClick={() => change({ level: undefined, category: undefined })}>
                Show all findings
              </Button>
            )
          }
        />
      ) : (
        [...Map.groupBy(shown, ({ check }) => check)].map(([id, findings]) => {
          const check = advice.checks.find(each => each.id === id)
          return check && <CheckSection key={id} of={check} findings={findings} />
        })
      )}
    </>
  )
}

/** How far the answer reaches. */
function Checked({ of: { tried, not_tried: notTried, time } }: { of: Advice }) {
  const relations = (count: number) =>
    `${count.toLocaleString('en')} ${count === 1 ? 'relation' : 'relations'}`
  return (
    <p className="text-kumo-subtle">
      Checked <Time at={time} />. {relations(tried)} read as anon
      {notTried > 0 && `; ${relations(notTried)} not, since the time was up`}.
    </p>
  )
}
