// The graph of who can access an object. In a chunk of its own: React Flow and the layout come with it.

import { type Edge, ReactFlowProvider, useReactFlow, type Viewport } from '@xyflow/react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { GraphFrame } from '../../../../parts/graph-frame.tsx'
import { Loaded, Outline } from '../../../../parts/loaded.tsx'
import type { AccessReport, ObjectName } from '../queries.ts'
import { type Placed, place } from './layout.ts'
import { graphOf, groupsOf, openGroups, ROOT, sidesOf } from './model.ts'
import { EntityNode, type FlowNode, GraphActions } from './nodes.tsx'
import { useGraphTuples } from './use-tuples.ts'

const NODE_TYPES = { entity: EntityNode }
/** The object stands in the middle, unless the graph would be much smaller for it. */
const TWO_SIDED_WORTH = 0.8
const HEIGHT_LEAST_PX = 240
const HEIGHT_MOST_PX = 560
/** Around the graph; its buttons are below it. */
const SPACE_PX = { top: 16, side: 16, bottom: 52 }
/** Smaller cannot be read. What does not fit then is reached by dragging. */
const ZOOM_MIN = 0.6

export function AccessGraph({
  object,
  report,
  chain = [],
  chosen,
  onChoose,
  toggled,
  onToggle,
}: {
  object: ObjectName
  report: AccessReport
  chain: readonly string[] | undefined
  chosen: string | undefined
  onChoose: (subject: string) => void
  toggled: readonly string[]
  onToggle: (key: string) => void
}) {
  const open = openGroups(groupsOf(report), toggled, chain)
  const { query, tuples, members, isCut } = useGraphTuples(object, open, chain)
  const { ref, width } = useWidth()
  const known = { object, tuples, members, open, toggled, chain }
  const all = [...new Set(tuples.map(({ relation }) => relation))]
  const [left, right] = sidesOf(tuples, relation => graphOf(known, [relation]).nodes.length)
  const oneSided = place(graphOf(known, []), graphOf(known, all))
  const twoSided = place(graphOf(known, left), graphOf(known, right))
  const isTwoSided = zoomOf(twoSided, width) >= TWO_SIDED_WORTH * zoomOf(oneSided, width)
  const placed = isTwoSided ? twoSided : oneSided
  return (
    <div ref={ref} className="flex min-w-0 flex-col gap-2">
      <Loaded query={query} outline={<Outline rows={8} />}>
        {() =>
          width > 0 && (
            <GraphActions value={{ chosen, onChoose, onToggle }}>
              <ReactFlowProvider>
                <Flow
                  placed={placed}
                  namespace={object.namespace}
                  isTwoSided={isTwoSided && left.length > 0}
                  width={width}
                />
              </ReactFlowProvider>
            </GraphActions>
          )
        }
      </Loaded>
      {isCut && (
        <p className="text-kumo-subtle">
          The graph draws the first 500 tuples of each group. The matrix has everybody.
        </p>
      )}
    </div>
  )
}

function Flow({
  placed,
  namespace,
  isTwoSided,
  width,
}: {
  placed: Placed
  namespace: string
  isTwoSided: boolean
  width: number
}) {
  const flow = useReactFlow()
  const nodes = useMemo(
    () =>
      placed.nodes.map((node): FlowNode => {
        const { id, x, y, width, height } = node
        const data = { node, isTwoSided, ...(id === ROOT && { note: namespace }) }
        return { id, type: 'entity', position: { x, y }, width, height, data, focusable: false }
      }),
    [placed, namespace, isTwoSided],
  )
  const edges = useMemo(
    () =>
      placed.edges.map(
        ({ id, source, target, side, label, isOnChain }): Edge => ({
          id,
          source,
          target,
          sourceHandle: side,
          label,
          focusable: false,
          style: isOnChain
            ? { stroke: 'var(--color-kumo-brand)', strokeWidth: 2 }
            : { stroke: 'var(--text-color-kumo-inactive)' },
          zIndex: isOnChain ? 1 : 0,
          labelStyle: { fill: 'var(--text-color-kumo-default)', fontSize: 11 },
          labelBgStyle: { fill: 'var(--color-kumo-elevated)' },
          labelBgPadding: [4, 1],
        }),
      ),
    [placed],
  )
  const zoom = Math.max(zoomOf(placed, width), ZOOM_MIN)
  const height = Math.max(Math.round(placed.height * zoom) + SPACE_PX.top + SPACE_PX.bottom, HEIGHT_LEAST_PX)
  const viewport = viewportOf(placed, width, height, zoom)
  const show = () => void flow.setViewport(viewport)
  // biome-ignore lint/correctness/useExhaustiveDependencies: seen whole again when its shape has changed
  useEffect(show, [JSON.stringify(viewport)])
  return (
    <GraphFrame
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      height={height}
      zoomMin={0.2}
      viewport={viewport}
      whole="the whole graph"
      onShowWhole={show}
    />
  )
}

/** How large all of it can be shown, up to its own size. */
function zoomOf({ width, height }: Placed, widthPx: number): number {
  const { top, side, bottom } = SPACE_PX
  return Math.min(1, (widthPx - 2 * side) / width, (HEIGHT_MOST_PX - top - bottom) / height)
}

/** All of it in the middle; where it is too wide, its left end, which has the object. */
function viewportOf(
  { x, y, width, height }: Placed,
  widthPx: number,
  heightPx: number,
  zoom: number,
): Viewport {
  const { top, side, bottom } = SPACE_PX
  const room = widthPx - width * zoom
  return {
    x: Math.max(room / 2, side) - x * zoom,
    y: top + (heightPx - top - bottom - height * zoom) / 2 - y * zoom,
    zoom,
  }
}

/** The width of an element, in pixels; 0 before it is drawn. */
function useWidth() {
  const ref = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (ref.current === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)))
    observer.observe(ref.current)
    return () => observer.disconnect()
  }, [])
  return { ref, width }
}
