import { cn } from '@cloudflare/kumo'
import type { ReactNode } from 'react'
import { FLOW_FACTS } from './flows.ts'
import type { Run } from './run.ts'
import { SequenceDiagram } from './sequence-diagram.tsx'

/** The steps at the left, the diagram at the right, which stays in sight; above them where there is no room. */
export function FlowLayout({ run, children }: { run: Run; children: ReactNode }) {
  return (
    <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,7fr)_minmax(0,6fr)]">
      <ol className="flex min-w-0 flex-col gap-4">{children}</ol>
      <div
        className={cn(
          'min-w-0 max-xl:order-first xl:sticky xl:top-0',
          run.messages.length === 0 && 'max-xl:hidden',
        )}
      >
        <SequenceDiagram parties={FLOW_FACTS[run.flow].parties} messages={run.messages} />
      </div>
    </div>
  )
}
