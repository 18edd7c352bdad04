import { useQuery } from '@tanstack/react-query'
import { JsonView } from '../../../parts/code-editor.tsx'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page.tsx'
import { publicKeysQuery } from './queries.ts'

/** The document that verifiers read. */
export function PublicKeys() {
  const query = useQuery(publicKeysQuery)
  return (
    <Section
      title="Public keys"
      lead="The JWKS, with which applications verify signatures. Discovery has its address."
      actions={
        query.data && <CopyButton text={JSON.stringify(query.data, undefined, 2)}>Copy JWKS</CopyButton>
      }
    >
      <Loaded query={query}>{keys => <JsonView label="Public keys" value={keys} />}</Loaded>
    </Section>
  )
}
