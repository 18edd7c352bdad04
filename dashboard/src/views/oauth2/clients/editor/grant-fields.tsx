import { Radio } from '@cloudflare/kumo'
import { DEVICE_GRANT } from '../../../../parts/oauth/grants.ts'
import { AUTH_METHODS, GRANTS } from '../client.ts'
import { CheckList } from './check-list.tsx'
import { errorOfList, type FieldsProps } from './fields.ts'
import { Choice } from './form-section.tsx'
import { possibleResponseTypes, responseTypesAfter } from './grants.ts'
import { authMethodProblem } from './problems.ts'

/** Grant types, and of the response types those that go with them. */
export function GrantFields({ draft, onChange, errorAt }: FieldsProps) {
  const { grant_types: grants, response_types: responses } = draft
  const canRefresh = grants.includes('authorization_code') || grants.includes(DEVICE_GRANT)
  const possible = possibleResponseTypes(grants)
  return (
    <>
      <CheckList
        legend="Grant types"
        items={GRANTS.map(({ value, label, sentence }) => ({
          value,
          label: <Choice label={label} sentence={sentence} />,
          // No other grant issues refresh tokens.
          disabled: value === 'refresh_token' && !canRefresh && !grants.includes(value),
        }))}
        chosen={grants}
        onChange={chosen =>
          onChange({ grant_types: chosen, response_types: responseTypesAfter(responses, grants, chosen) })
        }
        error={errorOfList(errorAt, 'grant_types', grants.length)}
      />
      {possible.length > 1 && (
        <CheckList
          legend="Response types"
          description="What an authorization request may ask for. Those of several words with code are the hybrid flow."
          items={possible.map(type => ({
            value: type,
            label: <code>{type}</code>,
          }))}
          className="grid gap-2 sm:grid-cols-2"
          chosen={responses}
          onChange={chosen => onChange({ response_types: chosen })}
          error={errorOfList(errorAt, 'response_types', responses.length)}
        />
      )}
    </>
  )
}

export function AuthMethodField({ draft, onChange, errorAt }: FieldsProps) {
  return (
    <Radio.Group
      legend="Authentication at the token endpoint"
      value={draft.token_endpoint_auth_method}
      onValueChange={method => onChange({ token_endpoint_auth_method: method })}
      error={authMethodProblem(draft) ?? errorAt('token_endpoint_auth_method')}
    >
      {AUTH_METHODS.map(({ value, label, sentence }) => (
        <Radio.Item key={value} value={value} label={<Choice label={label} sentence={sentence} />} />
      ))}
    </Radio.Group>
  )
}
