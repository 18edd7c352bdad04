// What EXPLAIN (FORMAT JSON) says, as a tree to draw. Pure.

export interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Alias?: string
  readonly 'Index Name'?: string
  readonly 'Join Type'?: string
  readonly 'Subplan Name'?: string
  readonly 'Total Cost': number
  readonly 'Plan Rows': number
  /** Of one loop, as are the rows; there only after it has run. */
  readonly 'Actual Total Time'?: number
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly Plans?: readonly PlanNode[]
  readonly [detail: string]: unknown
}

export interface PlanAnswer {
  readonly Plan: PlanNode
  readonly 'Planning Time'?: number
  readonly 'Execution Time'?: number
}

/** What a step takes without the steps beneath it: milliseconds where it has run, else the planner's cost. */
export function ownWeight(node: PlanNode): number {
  const beneath = (node.Plans ?? []).reduce((sum, child) => sum + weight(child), 0)
  return Math.max(0, weight(node) - beneath)
}

function weight(node: PlanNode): number {
  const time = node['Actual Total Time']
  return time === undefined ? node['Total Cost'] : time * (node['Actual Loops'] ?? 1)
}

/** The heaviest step's own weight: that of a full bar. */
export function heaviest(node: PlanNode): number {
  return Math.max(ownWeight(node), ...(node.Plans ?? []).map(heaviest))
}

/** `Index Scan on orders by orders_pkey`. */
export function titleOf(node: PlanNode): string {
  const { 'Node Type': type, 'Join Type': join, 'Relation Name': relation, 'Index Name': index } = node
  const on = relation === undefined ? '' : ` on ${relation}`
  const by = index === undefined ? '' : ` by ${index}`
  return `${join === undefined || join === 'Inner' ? '' : `${join} `}${type}${on}${by}`
}

const DETAILS = [
  'Index Cond',
  'Recheck Cond',
  'Hash Cond',
  'Merge Cond',
  'Join Filter',
  'Filter',
  'Rows Removed by Filter',
  'Sort Key',
  'Sort Method',
  'Group Key',
  'Function Name',
  'Subplan Name',
  'Workers Launched',
]

/** What of a step helps to understand it, in the words of Postgres. */
export function detailsOf(node: PlanNode): [name: string, value: string][] {
  return DETAILS.flatMap(name => {
    const value = node[name]
    if (value === undefined || value === 0) return []
    return [[name, Array.isArray(value) ? value.join(', ') : String(value)] as [string, string]]
  })
}

/** How far off the estimate of rows is, where that is enough to choose a wrong plan. */
const MISJUDGED_FROM = 10

/** `20 × more than estimated`; undefined where the estimate is good enough. */
export function misjudged(node: PlanNode): string | undefined {
  const actual = node['Actual Rows']
  if (actual === undefined) return undefined
  const [more, fewer] = [(actual + 1) / (node['Plan Rows'] + 1), (node['Plan Rows'] + 1) / (actual + 1)]
  if (more >= MISJUDGED_FROM) return `${Math.round(more)} × more than estimated`
  return fewer >= MISJUDGED_FROM ? `${Math.round(fewer)} × fewer than estimated` : undefined
}
