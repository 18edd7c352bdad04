// What one person's tokens would carry with the claims as they stand in the editor, saved or not.

import { Input } from '@cloudflare/kumo'
import type { UseQueryResult } from '@tanstack/react-query'
import { JsonView } from '../../../parts/code-editor.tsx'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { None } from '../../../parts/facts.tsx'
import { IdentityField } from '../../../parts/identity-field.tsx'
import { Outline } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page.tsx'
import type { ClaimsPreview } from './queries.ts'

export function Preview({
  query,
  error,
  identity,
  scopes,
  onIdentity,
  onScopes,
}: {
  query: UseQueryResult<ClaimsPreview>
  /** What is said at no row. */
  error: Error | null
  identity: string
  scopes: string
  onIdentity: (id: string) => void
  onScopes: (scopes: string) => void
}) {
  return (
    <Section
      title="Preview"
      lead="Exactly what the consent bridge would send for this person with the claims above."
    >
      <div className="grid gap-x-6 gap-y-4 xl:grid-cols-2">
        <IdentityField
          key={identity}
          label="Person"
          action="Show preview"
          chosen={identity}
          onChoose={onIdentity}
        />
        <Input
          label="Scopes granted"
          description="With spaces between. Each brings standard claims of its own into the ID token."
          value={scopes}
          onChange={event => onScopes(event.target.value)}
          autoComplete="off"
          spellCheck={false}
          className="w-full code-text!"
        />
      </div>
      <ErrorNotice error={error} />
      <div className="grid gap-x-6 gap-y-4 xl:grid-cols-2">
        <Half
          title="In the ID token, and at userinfo"
          label="ID token claims"
          query={query}
          part="id_token"
        />
        <Half
          title="In the access token, under ext"
          label="Access token claims"
          query={query}
          part="access_token"
        />
      </div>
    </Section>
  )
}

function Half({
  title,
  label,
  query: { data, isPending },
  part,
}: {
  title: string
  label: string
  query: UseQueryResult<ClaimsPreview>
  part: 'id_token' | 'access_token'
}) {
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <h3 className="font-medium">{title}</h3>
      {data !== undefined && <JsonView label={label} value={data[part]} />}
      {data === undefined &&
        (isPending ? <Outline rows={2} /> : <None>Fix the problem above to see a preview.</None>)}
    </div>
  )
}
