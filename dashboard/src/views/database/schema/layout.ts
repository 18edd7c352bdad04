// Where the tables of a diagram stand: those with keys in ranks from left to right, the others in rows beneath.

import { Graph as Dagre, layout } from '@dagrejs/dagre'
import type { Diagram, TableNode } from './model.ts'

export const WIDTH_PX = 232
export const HEAD_PX = 32
export const ROW_PX = 20
const SPACE_PX = 32
const ALONE_PER_ROW_MIN = 4

export interface PlacedTable extends TableNode {
  x: number
  y: number
  height: number
}

function heightOf({ columns, more }: TableNode): number {
  return HEAD_PX + (columns.length + (more > 0 ? 1 : 0)) * ROW_PX + 8
}

export function place({ nodes, edges }: Diagram): PlacedTable[] {
  const linked = new Set(edges.flatMap(({ source, target }) => [source, target]))
  const dagre = new Dagre({ multigraph: true })
  dagre.setGraph({ rankdir: 'RL', nodesep: SPACE_PX, ranksep: 3 * SPACE_PX })
  dagre.setDefaultEdgeLabel(() => ({}))
  for (const node of nodes)
    if (linked.has(node.id)) dagre.setNode(node.id, { width: WIDTH_PX, height: heightOf(node) })
  for (const { id, source, target } of edges) dagre.setEdge(source, target, {}, id)
  layout(dagre)
  const ranked = nodes
    .filter(({ id }) => linked.has(id))
    .map(node => {
      const { x, y } = dagre.node(node.id) as { x: number; y: number }
      const height = heightOf(node)
      return { ...node, x: x - WIDTH_PX / 2, y: y - height / 2, height }
    })
  return [
    ...ranked,
    ...rowsBeneath(
      nodes.filter(({ id }) => !linked.has(id)),
      ranked,
    ),
  ]
}

function rowsBeneath(alone: readonly TableNode[], ranked: readonly PlacedTable[]): PlacedTable[] {
  const step = WIDTH_PX + SPACE_PX
  const width = Math.max(0, ...ranked.map(({ x }) => x + WIDTH_PX))
  const perRow = Math.max(ALONE_PER_ROW_MIN, Math.floor(width / step), Math.ceil(Math.sqrt(alone.length)))
  let y = Math.max(0, ...ranked.map(({ y: top, height }) => top + height + SPACE_PX))
  const placed: PlacedTable[] = []
  for (let from = 0; from < alone.length; from += perRow) {
    const row = alone
      .slice(from, from + perRow)
      .map((node, i) => ({ ...node, x: i * step, y, height: heightOf(node) }))
    placed.push(...row)
    y += Math.max(...row.map(({ height }) => height)) + SPACE_PX
  }
  return placed
}
