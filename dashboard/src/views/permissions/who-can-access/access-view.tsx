// The answer for one object. The graph and the matrix share what is chosen, which stands in the address.

import { cn, Empty } from '@cloudflare/kumo'
import { GraphIcon } from '@phosphor-icons/react'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { Outline } from '../../../parts/loaded.tsx'
import { parseSubject } from '../../../parts/tuples/tuple-text.ts'
import { ChainPanel } from './chain-panel.tsx'
import { Completeness } from './completeness.tsx'
import { AccessMatrix } from './matrix.tsx'
import type { AccessReport, ObjectName } from './queries.ts'
import { type Mark, markedBy, viaOf } from './report.ts'

const AccessGraph = lazy(() => import('./graph/graph.tsx').then(module => ({ default: module.AccessGraph })))

/** One below the other on a phone; then the chain beside the matrix; on a wide screen the matrix beside the graph. */
const AREAS = cn(
  "grid grid-cols-[minmax(0,1fr)] gap-6 [grid-template-areas:'note''graph''chain''matrix']",
  'lg:grid-cols-[minmax(0,1fr)_22rem]',
  "lg:[grid-template-areas:'note_note''graph_graph''matrix_chain']",
  'min-[106rem]:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] min-[106rem]:grid-rows-[auto_auto_1fr]',
  "min-[106rem]:[grid-template-areas:'note_note''graph_matrix''chain_matrix']",
)

const view = getRouteApi('/permissions/who-can-access')

export function AccessView({ of: object, report }: { of: ObjectName; report: AccessReport }) {
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  const mark: Mark | undefined =
    search.subject !== undefined && search.by !== undefined
      ? { subject: search.subject, by: search.by }
      : undefined
  const choose = (next: Mark | undefined) => change({ subject: next?.subject, by: next?.by })
  const toggled = search.toggled ?? []

  if (report.subjects.length === 0)
    return (
      <>
        <Completeness report={report} />
        <Empty
          icon={<GraphIcon size={40} />}
          title={`Nobody can access ${object.object}`}
          description="No tuple gives anybody a relation to it. Is its name written as the tuples have it?"
        />
      </>
    )
  return (
    <div className={AREAS}>
      <div className="flex flex-col gap-3 [grid-area:note]">
        <Completeness report={report} />
        <p className="text-kumo-subtle">{summary(report, object)}</p>
      </div>
      <section aria-label={`Graph of ${object.object}`} className="min-w-0 [grid-area:graph]">
        <Suspense fallback={<Outline rows={8} />}>
          <AccessGraph
            object={object}
            report={report}
            chain={mark && viaOf(report, mark)}
            chosen={mark?.subject}
            onChoose={subject => choose(markedBy(report, subject))}
            toggled={toggled}
            onToggle={key =>
              change({
                toggled: toggled.includes(key) ? toggled.filter(each => each !== key) : [...toggled, key],
              })
            }
          />
        </Suspense>
      </section>
      <div className="min-w-0 [grid-area:matrix]">
        <AccessMatrix
          report={report}
          mark={mark}
          onChoose={choose}
          find={search.find ?? ''}
          onFind={find => change({ find: find || undefined })}
          sort={search.sort}
          onSort={sort => change({ sort })}
        />
      </div>
      <div className="min-w-0 [grid-area:chain]">
        <ChainPanel object={object} report={report} mark={mark} onClose={() => choose(undefined)} />
      </div>
    </div>
  )
}

function summary(report: AccessReport, { namespace, object }: ObjectName): string {
  const people = report.subjects.filter(
    ({ subject }) => parseSubject(subject).subject_set === undefined,
  ).length
  const groups = report.subjects.length - people
  const some = (count: number, one: string, many: string) =>
    count === 0 ? [] : [`${count.toLocaleString('en')} ${count === 1 ? one : many}`]
  const who = [...some(people, 'person', 'people'), ...some(groups, 'group', 'groups')].join(' and ')
  const least = report.complete ? '' : 'At least '
  const has = report.subjects.length === 1 ? 'has' : 'have'
  const legend = 'A number beside a mark counts the tuples of its chain.'
  return `${least}${who} ${has} something on ${namespace} ${object}. ${legend}`
}
