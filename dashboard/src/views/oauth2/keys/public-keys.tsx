import { Button } from '@cloudflare/kumo'
import { CopyIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { JsonView } from '../../../parts/code-editor.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page.tsx'
import { toasts } from '../../../parts/toasts.ts'
import { publicKeysQuery } from './queries.ts'

/** The document that verifiers read. */
export function PublicKeys() {
  const query = useQuery(publicKeysQuery)
  const copy = async () => {
    await navigator.clipboard.writeText(JSON.stringify(query.data, undefined, 2))
    toasts.add({ title: 'The public keys are copied', variant: 'success' })
  }
  return (
    <Section
      title="Public keys"
      lead="The JWKS, with which applications verify signatures. Discovery has its address."
      actions={
        <Button size="sm" icon={CopyIcon} disabled={query.data === undefined} onClick={copy}>
          Copy JWKS
        </Button>
      }
    >
      <Loaded query={query}>{keys => <JsonView label="Public keys" value={keys} />}</Loaded>
    </Section>
  )
}
