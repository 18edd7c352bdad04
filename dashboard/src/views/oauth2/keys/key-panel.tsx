import { Link } from '@cloudflare/kumo'
import { JsonView } from '../../../parts/code-editor.tsx'
import { CopyText } from '../../../parts/copy-text.tsx'
import { Fact, Facts, None } from '../../../parts/facts.tsx'
import { SidePanel } from '../../../parts/side-panel.tsx'
import { Time, wholeTime } from '../../../parts/time.tsx'
import { serverSet } from './key-sets.ts'
import type { SigningKey } from './queries.ts'
import { TokenEnds } from './token-ends.tsx'

/** One key beside the list. `removal` is the button that removes it. */
export function KeyPanel({
  of: key,
  among: keys,
  removal,
  onClose,
}: {
  of: SigningKey
  among: readonly SigningKey[]
  removal: React.ReactNode
  onClose: () => void
}) {
  const audit = new URLSearchParams({ target_kind: 'signing_key', target_id: `${key.set_id}/${key.kid}` })
  return (
    <SidePanel title={`Key ${key.kid}`} onClose={onClose}>
      <div className="flex flex-wrap gap-2">{removal}</div>
      <Facts>
        <Fact label="Key id" help="kid in a token’s header">
          <CopyText value={key.kid} whole />
        </Fact>
        <Fact label="Set">
          <CopyText value={key.set_id} whole />
        </Fact>
        <Fact label="Algorithm">{key.algorithm ?? <None>not stated</None>}</Fact>
        <Fact label="Type">{key.key_type}</Fact>
        <Fact label="Use">{key.use ?? <None>not stated</None>}</Fact>
        <Fact label="Created">
          {key.created_at === null ? (
            <None>not known: not made through Quoin</None>
          ) : (
            <>
              <Time at={key.created_at} />
              <span className="ml-2 text-kumo-subtle">{wholeTime(new Date(key.created_at))}</span>
            </>
          )}
        </Fact>
        {serverSet(key.set_id) !== undefined && (
          <Fact label="Its tokens">
            {keys[0]?.kid === key.kid ? (
              'It signs now'
            ) : (
              <TokenEnds of={key.kid} among={keys} set={key.set_id} />
            )}
          </Fact>
        )}
      </Facts>
      <JsonView label="Public key" value={key.public_jwk} />
      <Link href={`/audit-log?${audit}`}>Its changes in the audit log</Link>
    </SidePanel>
  )
}
