// What was used beside what the plan allows. A quota that is passed stops nothing.

import { cn, LayerCard, Meter } from '@cloudflare/kumo'
import type { ReactNode } from 'react'
import { State } from '../../parts/state.tsx'

/** `quota` null: there is none. `used` null: it is not measured here, and `children` says why. */
export function Usage({
  label,
  used,
  quota,
  format,
  children,
}: {
  label: string
  used: number | null
  quota: number | null
  format: (value: number) => string
  children?: ReactNode
}) {
  return (
    <LayerCard render={<li />} className="flex flex-col gap-2 p-4">
      {used !== null && quota !== null ? (
        <WithQuota label={label} used={used} quota={quota} format={format} />
      ) : (
        <p className="flex flex-wrap items-baseline justify-between gap-x-4">
          <span className="text-xs text-kumo-subtle">{label}</span>
          <span className="font-medium tabular-nums">
            {used === null ? 'none' : format(used)}
            {quota === null && <span className="ml-2 font-normal text-kumo-subtle">no quota</span>}
          </span>
        </p>
      )}
      {children !== undefined && <p className="text-sm text-kumo-subtle">{children}</p>}
    </LayerCard>
  )
}

function WithQuota({
  label,
  used,
  quota,
  format,
}: {
  label: string
  used: number
  quota: number
  format: (value: number) => string
}) {
  const isOver = used > quota
  const words = `${format(used)} of ${format(quota)}`
  return (
    <>
      <Meter
        label={label}
        value={Math.min(used, quota)}
        max={Math.max(quota, 1)}
        customValue={words}
        getAriaValueText={() => words}
        indicatorClassName={cn(isOver && 'from-kumo-danger via-kumo-danger to-kumo-danger')}
      />
      {isOver && <State tone="attention">Over the quota</State>}
    </>
  )
}
