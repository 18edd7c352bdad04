// Who is present in a topic, each with what it tracks.

import { LayerCard } from '@cloudflare/kumo'
import type { Present } from '../../parts/realtime/channel.ts'

export function PresentList({ of: present }: { of: Present }) {
  const keys = Object.entries(present)
  if (keys.length === 0)
    return <p className="text-kumo-subtle">Nobody is present: none of its members tracks itself.</p>
  return (
    <LayerCard className="p-0">
      <details open={keys.length <= 3}>
        <summary className="cursor-pointer px-4 py-2 hover:bg-kumo-tint">{keys.length} present</summary>
        <ul className="divide-y divide-kumo-hairline border-t border-kumo-hairline">
          {keys.map(([key, metas]) => (
            <li key={key} className="grid gap-x-4 gap-y-0.5 px-4 py-2 sm:grid-cols-[14rem_minmax(0,1fr)]">
              <code className="wrap-anywhere">{key}</code>
              <span className="min-w-0 code-text wrap-anywhere text-kumo-subtle">
                {metas.map(meta => JSON.stringify(tracked(meta))).join(', ')}
              </span>
            </li>
          ))}
        </ul>
      </details>
    </LayerCard>
  )
}

/** Without the library's own mark of a connection. */
function tracked(meta: unknown): unknown {
  const { presence_ref: _, ...rest } = meta as Record<string, unknown>
  return rest
}
