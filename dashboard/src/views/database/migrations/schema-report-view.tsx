import { LayerCard } from '@cloudflare/kumo'
import { State } from '../../../parts/state.tsx'
import type { SchemaReport } from './queries.ts'

/** Which objects of a migration exist, and what to do with it. */
export function SchemaReportView({ of: { findings, recommendation } }: { of: SchemaReport }) {
  return (
    <section aria-label="What exists" className="flex flex-col gap-2">
      <p role="status" className="font-medium wrap-anywhere">
        {recommendation}
      </p>
      {findings.length > 0 && (
        <LayerCard className="p-0">
          <ul className="divide-y divide-kumo-hairline">
            {findings.map(({ type, name, exists }) => (
              <li key={`${type} ${name}`} className="flex flex-wrap items-center gap-x-4 px-4 py-2">
                <span className="w-24 shrink-0">
                  {exists ? <State tone="good">Exists</State> : <State tone="neutral">Missing</State>}
                </span>
                <span className="w-16 shrink-0 text-kumo-subtle">{type}</span>
                <code className="min-w-0 wrap-anywhere">{name}</code>
              </li>
            ))}
          </ul>
        </LayerCard>
      )}
    </section>
  )
}
