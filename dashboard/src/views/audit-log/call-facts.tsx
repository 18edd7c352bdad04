// SQL that was run, and rows that were written: what was asked for and what came of it.

import { Fact, Facts } from '../../parts/facts.tsx'
import type { AuditLog } from './queries.ts'
import { Value } from './value.tsx'

export function CallFacts({ of: { before, after } }: { of: AuditLog }) {
  const fields = Object.entries({ ...(before as object | null), ...(after as object | null) })
  if (fields.length === 0) return <p className="text-kumo-subtle">No details were recorded.</p>
  return (
    <Facts>
      {fields.map(([name, value]) => (
        <Fact key={name} label={name}>
          <Value of={value} />
        </Fact>
      ))}
    </Facts>
  )
}
