// What may be granted: the namespaces of the permission file in words, its text, and how it is written and changed.

import { Banner, Empty } from '@cloudflare/kumo'
import { TreeStructureIcon, WarningIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { CodeEditor } from '../../../parts/code-editor.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Page, Section } from '../../../parts/page.tsx'
import type { Namespace } from '../../../parts/tuples/declared-names.ts'
import { namespacesQuery } from '../../../parts/tuples/queries.ts'
import { LanguageReference } from './language-reference.tsx'
import { NamespaceCard } from './namespace-card.tsx'

export function NamespacesPage() {
  const query = useQuery(namespacesQuery)
  return (
    <Page
      title="Namespaces"
      lead="Which objects there are, what somebody can be to them, and what they may do then. A file declares it."
    >
      <Loaded query={query}>
        {({ data, file }) => (
          <>
            <Disagreement namespaces={data} />
            {data.length === 0 ? (
              <Empty
                icon={<TreeStructureIcon size={40} />}
                title="No namespace is declared"
                description="A class in permissions/namespaces.ts is one. Below is how it is written."
              />
            ) : (
              <div className="gap-6 xl:columns-2">
                {data.map(namespace => (
                  <NamespaceCard key={namespace.name} of={namespace} />
                ))}
              </div>
            )}
            <Section
              title="The permission file"
              lead="As this deployment was built with it. The permission server reads the same; nothing runs it."
            >
              <CodeEditor label="permissions/namespaces.ts" value={file} language="text" isReadOnly />
            </Section>
          </>
        )}
      </Loaded>
      <LanguageReference />
    </Page>
  )
}

/** Where the file of this deployment and the permission server know different namespaces. */
function Disagreement({ namespaces }: { namespaces: readonly Namespace[] }) {
  const unknown = namespaces.filter(({ on_server: isThere }) => !isThere).map(({ name }) => name)
  const foreign = namespaces.filter(({ in_file: isThere }) => !isThere).map(({ name }) => name)
  if (unknown.length + foreign.length === 0) return null
  return (
    <Banner
      variant="alert"
      icon={<WarningIcon weight="fill" />}
      title="The permission server has another file than this deployment"
      description={[
        unknown.length > 0 ? `The server does not know ${unknown.join(', ')}: give it the new file.` : '',
        foreign.length > 0
          ? `Here nobody knows ${foreign.join(', ')}: deploy the Worker with the server’s file.`
          : '',
      ].join(' ')}
    />
  )
}
