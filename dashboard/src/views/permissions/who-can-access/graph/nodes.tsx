// How each kind of node looks. What can be chosen or opened is a button, so the keyboard reaches it.

import { cn } from '@cloudflare/kumo'
import { CubeIcon, MinusIcon, PlusIcon } from '@phosphor-icons/react'
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import { createContext, useContext } from 'react'
import { SubjectIcon } from '../../../../parts/tuples/subject-link.tsx'
import { plural, subjectWords } from '../../../../parts/tuples/words.ts'
import type { PlacedNode } from './layout.ts'

export type FlowNode = Node<{ node: PlacedNode; isTwoSided: boolean; note?: string }>

/** What the nodes do. React Flow gives its nodes data alone. */
export const GraphActions = createContext<{
  chosen: string | undefined
  onChoose: (subject: string) => void
  onToggle: (key: string) => void
}>({ chosen: undefined, onChoose: () => {}, onToggle: () => {} })

export function EntityNode({ data: { node, isTwoSided, note } }: NodeProps<FlowNode>) {
  const [inward, outward] =
    node.side === 'right' ? [Position.Left, Position.Right] : [Position.Right, Position.Left]
  return (
    <>
      {node.kind === 'object' ? (
        <>
          <Handle
            type="source"
            id="right"
            position={Position.Right}
            isConnectable={false}
            className="invisible"
          />
          {isTwoSided && (
            <Handle
              type="source"
              id="left"
              position={Position.Left}
              isConnectable={false}
              className="invisible"
            />
          )}
        </>
      ) : (
        <>
          <Handle type="target" position={inward} isConnectable={false} className="invisible" />
          <Handle
            type="source"
            id={node.side}
            position={outward}
            isConnectable={false}
            className="invisible"
          />
        </>
      )}
      <Content node={node} note={note} />
    </>
  )
}

const BOX = 'flex size-full items-center gap-1.5 overflow-hidden rounded-md border px-2 text-left text-[13px]'
const PLAIN = 'border-kumo-line bg-kumo-base text-kumo-default'
const CHAINED = 'border-kumo-brand bg-kumo-base text-kumo-default ring-1 ring-kumo-brand'

function Content({ node, note }: { node: PlacedNode; note: string | undefined }) {
  const { chosen, onChoose, onToggle } = useContext(GraphActions)
  const { kind, label, subject, of, isOnChain, isOpen } = node
  const look = isOnChain ? CHAINED : PLAIN
  if (kind === 'object')
    return (
      <div className={cn(BOX, 'border-kumo-brand bg-kumo-brand text-white')} title={label}>
        <CubeIcon size={18} aria-hidden="true" className="shrink-0" />
        <span className="min-w-0">
          <span className="block truncate font-semibold">{label}</span>
          <span className="block truncate text-xs">{note}</span>
        </span>
      </div>
    )
  if (kind === 'relation')
    return (
      <div
        className={cn(
          BOX,
          'justify-center rounded-full bg-kumo-tint',
          isOnChain ? 'border-kumo-brand' : 'border-kumo-hairline',
        )}
        title={label}
      >
        <span className="truncate">{label}</span>
      </div>
    )
  if (kind === 'more')
    return (
      <button
        type="button"
        className={cn(
          BOX,
          PLAIN,
          'nodrag nopan cursor-pointer justify-center border-dashed text-kumo-subtle hover:text-kumo-default',
        )}
        onClick={() => onToggle(node.id.replace(/^(left|right) /, ''))}
      >
        {label}
      </button>
    )
  const words = subjectWords(of ?? {})
  const set = of?.subject_set
  const choose = (
    <button
      type="button"
      aria-pressed={chosen === subject}
      title={subject}
      onClick={() => subject !== undefined && onChoose(subject)}
      className="nodrag nopan flex h-full min-w-0 flex-1 cursor-pointer items-center gap-1.5 text-left"
    >
      <SubjectIcon of={of ?? {}} />
      <span className="min-w-0">
        <span className={cn('block truncate', chosen === subject && 'font-semibold')}>
          {set?.object ?? words}
        </span>
        {set !== undefined && (
          <span className="block truncate text-xs text-kumo-subtle">
            {set.relation === '' ? set.namespace : plural(set.relation)}
          </span>
        )}
      </span>
    </button>
  )
  if (kind === 'person') return <div className={cn(BOX, look, 'rounded-full')}>{choose}</div>
  return (
    <div className={cn(BOX, look, 'pr-1')}>
      {choose}
      <button
        type="button"
        aria-expanded={isOpen}
        aria-label={`Members of ${words}`}
        onClick={() => subject !== undefined && onToggle(subject)}
        className={cn(
          'nodrag nopan grid size-6 shrink-0 cursor-pointer place-items-center rounded-sm',
          'text-kumo-subtle hover:bg-kumo-fill hover:text-kumo-default',
        )}
      >
        {isOpen ? <MinusIcon aria-hidden="true" /> : <PlusIcon aria-hidden="true" />}
      </button>
    </div>
  )
}
