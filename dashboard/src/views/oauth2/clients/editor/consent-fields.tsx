import { Banner, Switch } from '@cloudflare/kumo'
import { WarningIcon } from '@phosphor-icons/react'
import { CodeEditor } from '../../../../parts/code-editor.tsx'
import type { FieldsProps } from './fields.ts'
import { FormSection } from './form-section.tsx'
import { metadataProblem } from './problems.ts'
import { UriRows } from './uri-rows.tsx'

/** Consent, signing out, and what the application keeps with its client. */
export function ConsentFields({ draft, onChange, errorAt }: FieldsProps) {
  const problem = metadataProblem(draft.metadata) ?? errorAt('metadata') ?? errorAt('metadata.skip_consent')
  const metadataSkip =
    problem === undefined && JSON.parse(draft.metadata.trim() || '{}').skip_consent === true
  return (
    <>
      <FormSection title="Consent" lead="Whether people are asked what the application may do.">
        <Switch
          label="Skip the consent screen"
          checked={draft.skip_consent}
          onCheckedChange={skip => onChange({ skip_consent: skip })}
        />
        {(draft.skip_consent || metadataSkip) && (
          <Banner
            variant="alert"
            size="sm"
            icon={<WarningIcon weight="fill" />}
            title="Nobody is asked"
            description={
              metadataSkip && !draft.skip_consent
                ? 'The metadata say skip_consent: true, and either is enough.'
                : 'The application gets every scope that it asks for and may have. For your own applications only.'
            }
          />
        )}
      </FormSection>
      <FormSection
        title="Signing out"
        lead="Where people go after it. The addresses that are told of it are set with the tokens."
      >
        <UriRows
          legend="Addresses after signing out"
          name="Address after signing out"
          description="Each with the scheme, host and port of a redirect URI."
          hint="https://app.example.com/signed-out"
          rows={draft.post_logout_redirect_uris}
          errorAt={i => errorAt(`post_logout_redirect_uris.${i}`)}
          error={errorAt('post_logout_redirect_uris')}
          onChange={rows => onChange({ post_logout_redirect_uris: rows })}
        />
        <Switch
          label="Do not ask who signs out here"
          checked={draft.skip_logout_consent}
          onCheckedChange={skip => onChange({ skip_logout_consent: skip })}
        />
        <Switch
          label="Send the session's id with front-channel logout"
          checked={draft.frontchannel_logout_session_required}
          onCheckedChange={required => onChange({ frontchannel_logout_session_required: required })}
        />
        <Switch
          label="Send the session's id with back-channel logout"
          checked={draft.backchannel_logout_session_required}
          onCheckedChange={required => onChange({ backchannel_logout_session_required: required })}
        />
      </FormSection>
      <FormSection title="Metadata" lead="A JSON object of your own, at most 4 KiB. It is replaced whole.">
        <div className="flex flex-col gap-2">
          <CodeEditor
            label="Metadata"
            language="json"
            className="min-h-24 max-h-96"
            value={draft.metadata}
            onChange={metadata => onChange({ metadata })}
          />
          {problem !== undefined && (
            <p role="alert" className="text-sm text-kumo-danger">
              {problem}
            </p>
          )}
        </div>
      </FormSection>
    </>
  )
}
