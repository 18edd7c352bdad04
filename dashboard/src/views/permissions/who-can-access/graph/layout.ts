// Where the nodes of a graph stand: the object in the middle, its relations to both sides, people outside.

import { Graph as Dagre, layout } from '@dagrejs/dagre'
import { type Graph, type GraphEdge, type GraphNode, ROOT } from './model.ts'

export type Side = 'left' | 'right'

export interface PlacedNode extends GraphNode {
  side: Side
  x: number
  y: number
  width: number
  height: number
}

export interface PlacedEdge extends GraphEdge {
  side: Side
}

export interface Placed {
  nodes: PlacedNode[]
  edges: PlacedEdge[]
  /** The box around all of them. */
  x: number
  y: number
  width: number
  height: number
}

const SIZES: Record<GraphNode['kind'], { width: number; height: number }> = {
  object: { width: 136, height: 52 },
  relation: { width: 72, height: 26 },
  group: { width: 150, height: 40 },
  person: { width: 124, height: 28 },
  more: { width: 84, height: 26 },
}

/** A subject that has relations on both sides stands on both. */
export function place(left: Graph, right: Graph): Placed {
  const sides = [placeSide(right, 'right'), ...(left.nodes.length > 1 ? [placeSide(left, 'left')] : [])]
  const nodes = sides.flatMap((side, i) => side.nodes.filter(({ kind }) => i === 0 || kind !== 'object'))
  const xs = nodes.flatMap(({ x, width }) => [x, x + width])
  const ys = nodes.flatMap(({ y, height }) => [y, y + height])
  return {
    nodes,
    edges: sides.flatMap(side => side.edges),
    x: Math.min(...xs),
    y: Math.min(...ys),
    width: Math.max(...xs) - Math.min(...xs),
    height: Math.max(...ys) - Math.min(...ys),
  }
}

function placeSide({ nodes, edges }: Graph, side: Side): { nodes: PlacedNode[]; edges: PlacedEdge[] } {
  const dagre = new Dagre()
  dagre.setGraph({ rankdir: 'LR', nodesep: 8, ranksep: 34 })
  dagre.setDefaultEdgeLabel(() => ({}))
  for (const { id, kind } of nodes) dagre.setNode(id, { ...SIZES[kind] })
  for (const { source, target, label } of edges)
    dagre.setEdge(source, target, label === undefined ? {} : { width: 60, height: 14, labelpos: 'c' })
  layout(dagre)
  const root = dagre.node(ROOT) as { x: number; y: number }
  const idOf = (id: string) => (id === ROOT ? id : `${side} ${id}`)
  return {
    nodes: nodes.map(node => {
      const { width, height } = SIZES[node.kind]
      const { x, y } = dagre.node(node.id) as { x: number; y: number }
      const away = x - root.x
      const centre = side === 'right' ? away : -away
      return {
        ...node,
        id: idOf(node.id),
        side,
        x: centre - width / 2,
        y: y - root.y - height / 2,
        width,
        height,
      }
    }),
    edges: edges.map(edge => ({
      ...edge,
      id: `${side} ${edge.id}`,
      source: idOf(edge.source),
      target: idOf(edge.target),
      side,
    })),
  }
}
