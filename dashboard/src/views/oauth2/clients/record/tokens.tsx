import { Banner, Input, Radio } from '@cloudflare/kumo'
import { WarningIcon } from '@phosphor-icons/react'
import { ErrorNotice } from '../../../../parts/error-notice.tsx'
import { toasts } from '../../../../parts/toasts.ts'
import { useSubmit } from '../../../../parts/use-submit.ts'
import { type Client, nameOf } from '../client.ts'
import { Choice, FormSection } from '../editor/form-section.tsx'
import { configureTokens } from '../queries.ts'
import { SaveBar } from '../save-bar.tsx'
import { LifetimeField } from './lifetime-field.tsx'
import { changedTokenFields, type TokenDraft, tokenChangeOf } from './token-draft.ts'

/** Lifetimes and form of the client's tokens, and who is told that somebody has signed out. */
export function Tokens({
  of: client,
  draft,
  onChange,
  onSettled,
}: {
  of: Client
  draft: TokenDraft
  onChange: (changed: Partial<TokenDraft>) => void
  /** Nothing is left to save: it is saved, or discarded. */
  onSettled: () => void
}) {
  const changed = changedTokenFields(client, draft)
  const { error, errorAt, isBusy, submit } = useSubmit(async () => {
    await configureTokens(client.client_id, tokenChangeOf(client, draft))
    onSettled()
    toasts.add({ title: `The tokens of “${nameOf(client)}” are set`, variant: 'success' })
  })
  return (
    <form onSubmit={submit} noValidate>
      <FormSection title="Lifetimes" lead="How long each kind of token works, whatever grant it comes from.">
        <LifetimeField
          label="Access tokens"
          usual="1 hour"
          lifetime={draft.access_token_ttl}
          onChange={lifetime => onChange({ access_token_ttl: lifetime })}
          error={errorAt('access_token_ttl')}
        />
        <LifetimeField
          label="Refresh tokens"
          usual="30 days"
          lifetime={draft.refresh_token_ttl}
          onChange={lifetime => onChange({ refresh_token_ttl: lifetime })}
          error={errorAt('refresh_token_ttl')}
        />
        <LifetimeField
          label="ID tokens"
          usual="1 hour"
          lifetime={draft.id_token_ttl}
          onChange={lifetime => onChange({ id_token_ttl: lifetime })}
          error={errorAt('id_token_ttl')}
        />
      </FormSection>
      <FormSection title="Access tokens" lead="Whether whoever gets one can read it.">
        <Radio.Group
          legend="Form of access tokens"
          value={draft.access_token_strategy}
          onValueChange={strategy => onChange({ access_token_strategy: strategy })}
          error={errorAt('access_token_strategy')}
        >
          <Radio.Item
            value="default"
            label={<Choice label="Server default" sentence="Opaque, unless it is set to jwt." />}
          />
          <Radio.Item
            value="opaque"
            label={
              <Choice
                label="Opaque"
                sentence="Says nothing by itself: introspection tells, and a revoked one is refused at once."
              />
            }
          />
          <Radio.Item
            value="jwt"
            label={
              <Choice
                label="JWT"
                sentence="Verified with the public keys alone. It works until it expires. Not with pairwise subjects."
              />
            }
          />
        </Radio.Group>
        {changed.includes('access_token_strategy') && (
          <Banner
            variant="alert"
            size="sm"
            icon={<WarningIcon weight="fill" />}
            title="Existing access tokens stop working"
            description="Applications get new ones with their refresh token, or sign in again."
          />
        )}
      </FormSection>
      <FormSection title="Signing out" lead="Who is told when somebody signs out.">
        <Input
          label="Front-channel logout URI"
          description="The browser calls it in a hidden frame."
          placeholder="https://app.example.com/front-channel-logout"
          inputMode="url"
          value={draft.frontchannel_logout_uri}
          onChange={event => onChange({ frontchannel_logout_uri: event.target.value })}
          error={errorAt('frontchannel_logout_uri')}
        />
        <Input
          label="Back-channel logout URI"
          description="The OAuth2 server posts a logout token to it, a signed JWT. It must be at a public address."
          placeholder="https://app.example.com/back-channel-logout"
          inputMode="url"
          value={draft.backchannel_logout_uri}
          onChange={event => onChange({ backchannel_logout_uri: event.target.value })}
          error={errorAt('backchannel_logout_uri')}
        />
      </FormSection>
      <SaveBar
        note={changed.length === 0 ? 'All changes saved.' : `Unsaved: ${changed.join(', ')}`}
        action="Save tokens"
        mayGo={changed.length > 0}
        isBusy={isBusy}
        onDiscard={{ label: 'Discard', go: onSettled, isOff: changed.length === 0 }}
      >
        <ErrorNotice error={error} />
      </SaveBar>
    </form>
  )
}
