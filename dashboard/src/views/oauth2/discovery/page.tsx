// What applications read of the OAuth2 server before they talk to it.

import { LinkButton } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import type { Schema } from '../../../api/client.ts'
import { JsonView } from '../../../parts/code-editor.tsx'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { discoveryQuery } from '../../../parts/oauth/queries.ts'
import { Page, Section } from '../../../parts/page.tsx'
import { Endpoints } from './endpoints.tsx'
import { Registration } from './registration.tsx'
import { Supported } from './supported.tsx'

export function DiscoveryPage() {
  const query = useQuery(discoveryQuery)
  return (
    <Page
      title="Discovery"
      lead="Where an application finds the endpoints, the keys and what the OAuth2 server can do."
      actions={query.data && <Documents of={query.data} />}
    >
      <Loaded query={query}>
        {document => (
          <>
            <Section title="Endpoints">
              <Endpoints of={document} />
            </Section>
            <Section title="Registration of clients">
              <Registration />
            </Section>
            <Section title="What the server can do">
              <Supported of={document} />
            </Section>
            <Section
              title="The whole document"
              lead="Folded at the margin; Ctrl F in it searches."
              actions={<CopyButton text={JSON.stringify(document, undefined, 2)}>Copy document</CopyButton>}
            >
              <JsonView label="Discovery document" value={document} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** Both public documents at the server itself. Addresses that are not http or https become no links. */
function Documents({ of: { issuer, jwks_uri: jwks } }: { of: Schema<'DiscoveryDocument'> }) {
  const links = [
    { label: 'Open document', href: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration` },
    { label: 'Open keys', href: jwks },
  ]
  return links
    .filter(({ href }) => /^https?:\/\//i.test(href))
    .map(({ label, href }) => (
      <LinkButton key={label} href={href} external variant="secondary">
        {label}
      </LinkButton>
    ))
}
