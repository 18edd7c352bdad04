// The frame of a graph: moved by dragging, made larger and smaller by its buttons, and passed over by the wheel. It
// brings React Flow, so whatever uses it is in a chunk of its own, within a `ReactFlowProvider`.

import '@xyflow/react/dist/base.css'
import { Button } from '@cloudflare/kumo'
import { ArrowsInIcon, MinusIcon, PlusIcon } from '@phosphor-icons/react'
import {
  type Edge,
  type Node,
  type NodeTypes,
  Panel,
  ReactFlow,
  useReactFlow,
  type Viewport,
} from '@xyflow/react'

export function GraphFrame({
  nodes,
  edges,
  nodeTypes,
  height,
  zoomMin,
  viewport = { x: 0, y: 0, zoom: 1 },
  whole,
  onShowWhole,
}: {
  nodes: Node[]
  edges: Edge[]
  nodeTypes: NodeTypes
  /** As CSS has it; a number is pixels. */
  height: string | number
  zoomMin: number
  /** What is seen before anything is moved. */
  viewport?: Viewport
  /** What the last button shows: `the whole graph`. */
  whole: string
  onShowWhole: () => void
}) {
  const flow = useReactFlow()
  return (
    <div
      style={{ height }}
      className="overflow-hidden rounded-lg border border-kumo-hairline bg-kumo-elevated"
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        defaultViewport={viewport}
        minZoom={zoomMin}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        preventScrolling={false}
        disableKeyboardA11y
        proOptions={{ hideAttribution: true }}
      >
        <Panel position="bottom-right" className="flex gap-1">
          <Button
            size="sm"
            shape="square"
            icon={PlusIcon}
            aria-label="Larger"
            onClick={() => void flow.zoomIn()}
          />
          <Button
            size="sm"
            shape="square"
            icon={MinusIcon}
            aria-label="Smaller"
            onClick={() => void flow.zoomOut()}
          />
          <Button
            size="sm"
            shape="square"
            icon={ArrowsInIcon}
            aria-label={`Show ${whole}`}
            onClick={onShowWhole}
          />
        </Panel>
      </ReactFlow>
    </div>
  )
}
