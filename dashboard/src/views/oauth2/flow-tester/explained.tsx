// A refusal where it came up: the server's words, what they mean here, and where it is mended.

import { Banner, Link } from '@cloudflare/kumo'
import { WarningCircleIcon } from '@phosphor-icons/react'
import type { Explanation } from './explain.ts'

export function Explained({ of: explanation, clientId }: { of: Explanation | undefined; clientId: string }) {
  if (explanation === undefined) return null
  const { title, said, what, list, isOfClient } = explanation
  return (
    <Banner
      variant="error"
      size="sm"
      role="alert"
      icon={<WarningCircleIcon weight="fill" />}
      title={title}
      description={
        <span className="flex flex-col gap-1 wrap-anywhere">
          {said !== undefined && <span>“{said}”</span>}
          <span>{what}</span>
          {list !== undefined && (
            <span className="code-text text-xs">{list.length === 0 ? 'none' : list.join('  ')}</span>
          )}
          {isOfClient && (
            <Link href={`/oauth2/clients/${encodeURIComponent(clientId)}`}>Go to the client</Link>
          )}
        </span>
      }
    />
  )
}
