// Which client the flow is tried with: one of those that can do it, or a test client.

import { Button, Combobox, LayerCard, Link, SensitiveInput } from '@cloudflare/kumo'
import { PlusIcon } from '@phosphor-icons/react'
import { CopyText } from '../../../parts/copy-text.tsx'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import type { OAuthClient } from './queries.ts'

export function ClientChoice({
  clients,
  unfit,
  chosen,
  isTest,
  secret,
  isBusy,
  error,
  onChoose,
  onSecret,
  onMake,
  onRemove,
}: {
  clients: readonly OAuthClient[]
  /** How many others lack the grant, which is named. */
  unfit: { count: number; grant: string }
  chosen: OAuthClient | undefined
  /** Made by this page. */
  isTest: boolean
  /** Undefined where the page knows it, or none is needed. */
  secret: string | undefined
  isBusy: boolean
  error: Error | null
  onChoose: (id: string | undefined) => void
  onSecret: (secret: string) => void
  onMake: () => void
  onRemove: () => void
}) {
  return (
    <LayerCard className="flex flex-col gap-4 p-4">
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 flex-1 basis-64">
          <Combobox
            label="Client"
            items={[...clients]}
            value={chosen ?? null}
            onValueChange={next => onChoose((next as OAuthClient | null)?.client_id)}
            isItemEqualToValue={(a, b) => (a as OAuthClient).client_id === (b as OAuthClient).client_id}
            itemToStringLabel={client => nameOf(client as OAuthClient)}
          >
            <Combobox.TriggerValue
              className="w-full data-placeholder:text-kumo-subtle!"
              placeholder="Choose a client"
            />
            <Combobox.Content>
              <Combobox.Input placeholder="Name or id" />
              <Combobox.Empty>No client that supports this flow matches.</Combobox.Empty>
              <Combobox.List>
                {(client: OAuthClient) => (
                  <Combobox.Item key={client.client_id} value={client}>
                    {nameOf(client)}
                  </Combobox.Item>
                )}
              </Combobox.List>
            </Combobox.Content>
          </Combobox>
        </div>
        {isTest ? (
          <Button variant="secondary-destructive" loading={isBusy} onClick={onRemove}>
            Remove test client
          </Button>
        ) : (
          <Button icon={PlusIcon} loading={isBusy} onClick={onMake}>
            Make a test client
          </Button>
        )}
      </div>
      <ErrorNotice error={error} />
      {chosen === undefined ? (
        unfit.count > 0 && (
          <p className="text-kumo-subtle">
            {unfit.count} other {unfit.count === 1 ? 'client does' : 'clients do'} not have the grant{' '}
            <code className="wrap-anywhere">{unfit.grant}</code>.
          </p>
        )
      ) : (
        <div className="flex flex-wrap items-center gap-x-5 gap-y-1 text-kumo-subtle">
          <CopyText value={chosen.client_id} label="Copy client id" />
          <span>{authenticationOf(chosen)}</span>
          {isTest ? (
            <span>Made for this visit; it is removed when you leave this page.</span>
          ) : (
            <Link href={`/oauth2/clients/${encodeURIComponent(chosen.client_id)}`}>Go to the client</Link>
          )}
        </div>
      )}
      {secret !== undefined && (
        <SensitiveInput
          label="Client secret"
          description="Kept in this page's memory alone, until you leave it."
          value={secret}
          onChange={event => onSecret(event.target.value)}
          autoComplete="off"
        />
      )}
    </LayerCard>
  )
}

function nameOf({ client_name: name, client_id: id }: OAuthClient): string {
  return name === '' ? id : `${name} · ${id.slice(0, 8)}`
}

function authenticationOf({ token_endpoint_auth_method: method }: OAuthClient): string {
  if (method === 'none') return 'Public: it has no secret, and must use PKCE'
  return method === 'client_secret_post'
    ? 'Confidential: secret in the form'
    : 'Confidential: secret in a header'
}
