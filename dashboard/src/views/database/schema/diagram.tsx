// The diagram. In a chunk of its own: React Flow and the layout come with it.

import { cn } from '@cloudflare/kumo'
import { KeyIcon, LinkSimpleIcon } from '@phosphor-icons/react'
import { Link } from '@tanstack/react-router'
import {
  type Edge,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from '@xyflow/react'
import { useEffect, useMemo } from 'react'
import { tableHref } from '../../../parts/database/table-facts.ts'
import { GraphFrame } from '../../../parts/graph-frame.tsx'
import { HEAD_PX, type PlacedTable, place, ROW_PX, WIDTH_PX } from './layout.ts'
import type { Diagram as DiagramModel } from './model.ts'

type FlowNode = Node<{ table: PlacedTable }>

const NODE_TYPES = { table: TableBox }
const ZOOM_MIN = 0.1
/** At first names can be read, also where not all tables fit. */
const ZOOM_FIRST_MIN = 0.3
/** From farther away a table is its name, in large letters. */
const ZOOM_FAR = 0.5
const ZOOM_READABLE = 0.8

export function Diagram({ of: diagram }: { of: DiagramModel }) {
  return (
    <ReactFlowProvider>
      <Flow diagram={diagram} />
    </ReactFlowProvider>
  )
}

function Flow({ diagram }: { diagram: DiagramModel }) {
  const flow = useReactFlow()
  const nodes = useMemo(
    () =>
      place(diagram).map(
        (table): FlowNode => ({
          id: table.id,
          type: 'table',
          position: { x: table.x, y: table.y },
          width: WIDTH_PX,
          height: table.height,
          data: { table },
          focusable: false,
        }),
      ),
    [diagram],
  )
  const edges = useMemo(
    () =>
      diagram.edges.map(
        ({ id, source, target, oneToOne }): Edge => ({
          id,
          source,
          target,
          focusable: false,
          style: {
            stroke: 'var(--text-color-kumo-subtle)',
            ...(oneToOne && { strokeDasharray: '6 4' }),
          },
        }),
      ),
    [diagram],
  )
  const width = useStore(state => state.width)
  const show = (minZoom: number) => void flow.fitView({ padding: 0.05, minZoom, maxZoom: 1 })
  const showFirst = () => show(ZOOM_FIRST_MIN)
  // biome-ignore lint/correctness/useExhaustiveDependencies: seen whole again when tables or room are others
  useEffect(showFirst, [nodes, width])
  return (
    <GraphFrame
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      height="max(65vh, 20rem)"
      zoomMin={ZOOM_MIN}
      whole="all tables"
      onShowWhole={() => show(ZOOM_MIN)}
    />
  )
}

const BOX =
  'size-full overflow-hidden rounded-md border border-kumo-line bg-kumo-base text-[13px] text-kumo-default'

/** The name is a link, so the keyboard reaches every table; the diagram follows it. */
function TableBox({ data: { table } }: NodeProps<FlowNode>) {
  const flow = useReactFlow()
  const isFar = useStore(state => state.transform[2] < ZOOM_FAR)
  const { schema, name, columns, more, x, y, height } = table
  const follow = () =>
    void flow.setCenter(x + WIDTH_PX / 2, y + height / 2, { zoom: Math.max(flow.getZoom(), ZOOM_READABLE) })
  return (
    <div className={BOX}>
      <Handle type="target" position={Position.Right} isConnectable={false} className="invisible" />
      <Handle type="source" position={Position.Left} isConnectable={false} className="invisible" />
      <div
        style={{ height: isFar ? height : HEAD_PX }}
        className="flex items-center border-b border-kumo-line bg-kumo-tint px-2"
      >
        <Link
          to={tableHref(schema, name, { tab: 'structure' })}
          className={cn(
            'nodrag nopan min-w-0 font-semibold hover:underline',
            isFar ? 'w-full text-center text-[30px] leading-tight wrap-anywhere' : 'truncate',
          )}
          title={`${schema}.${name}`}
          onFocus={event => event.currentTarget.matches(':focus-visible') && follow()}
        >
          {schema === 'public' ? name : `${schema}.${name}`}
        </Link>
      </div>
      {!isFar &&
        columns.map(column => (
          <div key={column.name} style={{ height: ROW_PX }} className="flex items-center gap-1 px-2">
            <span className="grid size-4 shrink-0 place-items-center">
              {column.key === 'primary' && <KeyIcon size={12} aria-label="Primary key" />}
              {column.key === 'foreign' && <LinkSimpleIcon size={12} aria-label="Foreign key" />}
            </span>
            <span className={cn('min-w-0 truncate', column.key === 'primary' && 'font-medium')}>
              {column.name}
            </span>
            <span className="ml-auto max-w-24 shrink-0 truncate text-xs text-kumo-subtle">{column.type}</span>
          </div>
        ))}
      {!isFar && more > 0 && (
        <div style={{ height: ROW_PX }} className="px-2 text-xs text-kumo-subtle">
          {more} more {more === 1 ? 'column' : 'columns'}
        </div>
      )}
    </div>
  )
}
