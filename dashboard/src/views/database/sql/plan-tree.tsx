// The plan of a statement: each step above those that feed it, with what it takes by itself as a bar.

import { LayerCard, Meter } from '@cloudflare/kumo'
import { detailsOf, heaviest, misjudged, ownWeight, type PlanAnswer, type PlanNode, titleOf } from './plan.ts'

export function PlanTree({ of: answer, hasRun }: { of: PlanAnswer; hasRun: boolean }) {
  const full = heaviest(answer.Plan)
  return (
    <LayerCard className="p-4">
      <p className="mb-3 text-kumo-subtle">
        {hasRun ? ranWords(answer) : 'The planner’s estimates; it has not run. A bar is a step’s own cost.'}
      </p>
      <ul aria-label="Plan" className="flex flex-col gap-3">
        <Step node={answer.Plan} full={full} hasRun={hasRun} />
      </ul>
    </LayerCard>
  )
}

function Step({ node, full, hasRun }: { node: PlanNode; full: number; hasRun: boolean }) {
  const own = ownWeight(node)
  const rows = node['Actual Rows'] ?? node['Plan Rows']
  const loops = node['Actual Loops'] ?? 1
  const surprise = misjudged(node)
  return (
    <li className="flex flex-col gap-3">
      <div className="grid gap-x-6 gap-y-1 md:grid-cols-[minmax(0,1fr)_16rem]">
        <div className="min-w-0">
          <p className="font-medium wrap-anywhere">{titleOf(node)}</p>
          {detailsOf(node).map(([name, value]) => (
            <p key={name} className="text-xs text-kumo-subtle wrap-anywhere">
              {name}: <code className="text-xs">{value}</code>
            </p>
          ))}
        </div>
        <div className="min-w-0">
          <Meter
            label={hasRun ? 'Own time' : 'Own cost'}
            value={own}
            max={full || 1}
            customValue={hasRun ? ms(own) : own.toLocaleString('en', { maximumFractionDigits: 2 })}
          />
          <p className="mt-1 text-xs text-kumo-subtle tabular-nums">
            {rows.toLocaleString('en')} {rows === 1 ? 'row' : 'rows'}
            {hasRun && loops > 1 && `, ${loops.toLocaleString('en')} times`}
            {!hasRun && ' estimated'}
            {surprise !== undefined && <span className="font-medium text-kumo-default">, {surprise}</span>}
          </p>
        </div>
      </div>
      {node.Plans !== undefined && (
        <ul className="ml-1.5 flex flex-col gap-3 border-l-2 border-kumo-line pl-4">
          {node.Plans.map((child, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a plan does not change
            <Step key={i} node={child} full={full} hasRun={hasRun} />
          ))}
        </ul>
      )}
    </li>
  )
}

function ranWords({ 'Planning Time': planning, 'Execution Time': execution }: PlanAnswer): string {
  return `It has run: planned in ${ms(planning)}, executed in ${ms(execution)}. A bar is a step’s own time.`
}

function ms(value: number | undefined): string {
  return value === undefined ? '–' : `${value.toLocaleString('en', { maximumFractionDigits: 3 })} ms`
}
