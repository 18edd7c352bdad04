import { Input, Radio } from '@cloudflare/kumo'
import type { FieldsProps } from './fields.ts'
import { Choice, FormSection } from './form-section.tsx'

/** Which `sub` the application gets to see of a person. */
export function SubjectFields({ draft, onChange, errorAt }: FieldsProps) {
  return (
    <FormSection title="Subject" lead="Which id of a person stands in the tokens.">
      <Radio.Group
        legend="Subject type"
        value={draft.subject_type}
        onValueChange={type => onChange({ subject_type: type })}
        error={errorAt('subject_type')}
      >
        <Radio.Item
          value="public"
          label={<Choice label="Public" sentence="The identity's own id, the same for every application." />}
        />
        <Radio.Item
          value="pairwise"
          label={
            <Choice
              label="Pairwise"
              sentence="An id for this application alone: two cannot compare their users. Not with JWT access tokens."
            />
          }
        />
      </Radio.Group>
      {(draft.subject_type === 'pairwise' || draft.sector_identifier_uri !== '') && (
        <Input
          label="Sector identifier URI"
          description="A JSON array of the redirect URIs, needed with several. Clients of one host share their ids."
          placeholder="https://example.com/redirect-uris.json"
          value={draft.sector_identifier_uri}
          onChange={event => onChange({ sector_identifier_uri: event.target.value })}
          error={errorAt('sector_identifier_uri')}
        />
      )}
    </FormSection>
  )
}
