// The fields of a client, in the order in which one decides on them. For a new one and for one that is there.

import { Input } from '@cloudflare/kumo'
import { ConsentFields } from './consent-fields.tsx'
import { errorOfList, type FieldsProps } from './fields.ts'
import { FormSection } from './form-section.tsx'
import { AuthMethodField, GrantFields } from './grant-fields.tsx'
import { LinkFields } from './link-fields.tsx'
import { SubjectFields } from './subject-fields.tsx'
import { UriRows } from './uri-rows.tsx'
import { WordsInput } from './words-input.tsx'

export function ClientFields(props: FieldsProps) {
  const { draft, onChange, errorAt } = props
  const redirects = draft.grant_types.some(grant => grant === 'authorization_code' || grant === 'implicit')
  return (
    <div>
      <FormSection title="Name" lead="People decide by it whether they trust the application.">
        <Input
          label="Name"
          description="Stands on the consent screen, in lists and in the audit log."
          value={draft.client_name}
          onChange={event => onChange({ client_name: event.target.value })}
          error={errorAt('client_name')}
        />
      </FormSection>
      <FormSection title="Sign-in" lead="How the application gets its tokens, and how it proves who it is.">
        <GrantFields {...props} />
        <AuthMethodField {...props} />
      </FormSection>
      {(redirects || draft.redirect_uris.length > 0) && (
        <FormSection
          title="Redirect URIs"
          lead="Where people come back to after signing in. Compared letter by letter with what the application sends."
        >
          <UriRows
            legend="Redirect URIs"
            name="Redirect URI"
            description="https, or a scheme of the application's own; http only for this machine. Enter adds a row."
            hint="https://app.example.com/callback"
            rows={draft.redirect_uris}
            errorAt={i => errorAt(`redirect_uris.${i}`)}
            error={errorAt('redirect_uris')}
            onChange={rows => onChange({ redirect_uris: rows })}
          />
        </FormSection>
      )}
      <FormSection
        title="Access"
        lead="What the application may ask for. A request for anything else is refused."
      >
        <WordsInput
          label="Scopes"
          description="openid gives an ID token, offline_access a refresh token. Empty: the server's own choice."
          placeholder="openid"
          words={draft.scope}
          error={errorAt('scope')}
          onChange={scope => onChange({ scope })}
        />
        <WordsInput
          label="Audience"
          description="Resource servers that its tokens may be asked for; they stand in the aud claim."
          placeholder="https://api.example.com"
          words={draft.audience}
          error={errorOfList(errorAt, 'audience', draft.audience.length)}
          onChange={audience => onChange({ audience })}
        />
      </FormSection>
      <SubjectFields {...props} />
      <ConsentFields {...props} />
      <LinkFields {...props} />
    </div>
  )
}
