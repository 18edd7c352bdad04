// What can be done with the statement, and its bounds.

import { Button, Select } from '@cloudflare/kumo'
import { PlayIcon, StopIcon, TreeStructureIcon } from '@phosphor-icons/react'
import type { Bounds, Way } from './queries.ts'

const ROW_LIMITS = { 100: 'First 100 rows', 1000: 'First 1,000 rows', 10000: 'First 10,000 rows' }
const TIMEOUTS = { 1000: 'At most 1 s', 10000: 'At most 10 s', 30000: 'At most 30 s' }

export function Toolbar({
  isSelection,
  isEmpty,
  busyWith,
  bounds,
  onBounds,
  onGo,
  onStop,
}: {
  /** A part of the text is selected: it alone is run. */
  isSelection: boolean
  isEmpty: boolean
  busyWith: Way | undefined
  bounds: Bounds
  onBounds: (bounds: Bounds) => void
  onGo: (way: Way) => void
  onStop: () => void
}) {
  const isOff = isEmpty || busyWith !== undefined
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        variant="primary"
        icon={PlayIcon}
        loading={busyWith === 'run'}
        disabled={isOff}
        aria-keyshortcuts="Control+Enter Meta+Enter"
        onClick={() => onGo('run')}
      >
        {isSelection ? 'Run selection' : 'Run'}
      </Button>
      <Button
        icon={TreeStructureIcon}
        loading={busyWith === 'explain'}
        disabled={isOff}
        onClick={() => onGo('explain')}
      >
        Explain
      </Button>
      <Button loading={busyWith === 'analyze'} disabled={isOff} onClick={() => onGo('analyze')}>
        Run and explain
      </Button>
      {busyWith !== undefined && (
        <Button icon={StopIcon} onClick={onStop}>
          Stop waiting
        </Button>
      )}
      <span className="flex flex-wrap gap-2 md:ml-auto">
        <Select
          aria-label="Row limit"
          className="w-44"
          value={String(bounds.rowLimit)}
          onValueChange={value => onBounds({ ...bounds, rowLimit: Number(value) })}
          items={ROW_LIMITS}
        />
        <Select
          aria-label="Time limit"
          className="w-36"
          value={String(bounds.timeoutMs)}
          onValueChange={value => onBounds({ ...bounds, timeoutMs: Number(value) })}
          items={TIMEOUTS}
        />
      </span>
    </div>
  )
}
