// Who is present in a topic, each with what it tracks.

import { LayerCard } from '@cloudflare/kumo'
import type { Present } from '../../parts/realtime/channel.ts'

/** More are counted alone. */
const SHOWN_MAX = 100

export function PresentList({ of: present }: { of: Present }) {
  const keys = Object.entries(present)
  if (keys.length === 0)
    return <p className="text-kumo-subtle">Nobody is present: none of its members tracks itself.</p>
  return (
    <LayerCard className="p-0">
      <details open>
        <summary className="cursor-pointer px-4 py-2 hover:bg-kumo-tint">
          {keys.length.toLocaleString('en')} present
          {keys.length > SHOWN_MAX && `, of whom ${SHOWN_MAX} are shown`}
        </summary>
        <section
          aria-label="Present"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
          tabIndex={0}
          className="max-h-60 overflow-y-auto border-t border-kumo-hairline"
        >
          <ul className="divide-y divide-kumo-hairline">
            {keys.slice(0, SHOWN_MAX).map(([key, metas]) => (
              <li key={key} className="grid gap-x-4 gap-y-0.5 px-4 py-2 sm:grid-cols-[14rem_minmax(0,1fr)]">
                <code className="wrap-anywhere">{key}</code>
                <span className="min-w-0 code-text wrap-anywhere text-kumo-subtle">
                  {metas.map(meta => JSON.stringify(tracked(meta))).join(', ')}
                </span>
              </li>
            ))}
          </ul>
        </section>
      </details>
    </LayerCard>
  )
}

/** Without the library's own mark of a connection. */
function tracked(meta: unknown): unknown {
  const { presence_ref: _, ...rest } = meta as Record<string, unknown>
  return rest
}
