// Runs a flow for real, one step at a time. What is secret is in the memory of these components, and nowhere else.

import { Banner, Button, Empty, Tabs } from '@cloudflare/kumo'
import { PlusIcon, SignpostIcon, WarningIcon } from '@phosphor-icons/react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { Loaded } from '../../../parts/loaded.tsx'
import { clientsQuery } from '../../../parts/oauth/queries.ts'
import { Page } from '../../../parts/page.tsx'
import { ClientChoice } from './client-choice.tsx'
import { ClientCredentialsFlow } from './client-credentials-flow.tsx'
import { CodeFlow } from './code-flow.tsx'
import { DeviceFlow } from './device-flow.tsx'
import { FLOW_FACTS, FLOWS, type Flow } from './flows.ts'
import { LeftOver } from './left-over.tsx'
import { isTestClient, type OAuthClient } from './queries.ts'
import type { ClientAccess } from './requests.ts'
import { useTestClients } from './use-test-clients.ts'

const view = getRouteApi('/oauth2/flow-tester')

const COMPONENTS = { code: CodeFlow, client_credentials: ClientCredentialsFlow, device: DeviceFlow }

export function FlowTesterPage() {
  const { flow = 'code', client: clientId } = view.useSearch()
  const navigate = view.useNavigate()
  const query = useQuery(clientsQuery)
  const tests = useTestClients()
  const [typedSecrets, setTypedSecrets] = useState<Readonly<Record<string, string>>>({})
  // Counts up to begin anew with the same client.
  const [attempt, setAttempt] = useState(0)
  const { grant, lead } = FLOW_FACTS[flow]

  const go = (changed: { flow?: Flow; client?: string | undefined }) =>
    navigate({ search: { flow, client: clientId, ...changed }, replace: true })
  /** Makes a test client, or removes the one with this id. */
  const testClient = useMutation({
    mutationFn: async (removed: string | undefined) => {
      if (removed !== undefined) await tests.remove(removed)
      await go({ client: removed === undefined ? await tests.make(flow) : undefined })
    },
  })
  const make = () => testClient.mutate(undefined)
  return (
    <Page
      title="Flow tester"
      lead="Runs a flow of OAuth2 for real, one step at a time, and shows each message."
      actions={clientId && <Button onClick={() => setAttempt(attempt + 1)}>Start over</Button>}
    >
      <div className="flex flex-col gap-3">
        <div className="max-w-full overflow-x-auto">
          <Tabs
            variant="underline"
            tabs={FLOWS.map(value => ({ value, label: FLOW_FACTS[value].label }))}
            value={flow}
            onValueChange={next => void go({ flow: next as Flow, client: undefined })}
          />
        </div>
        <p className="max-w-[75ch] text-kumo-subtle">{lead}</p>
      </div>
      <Loaded query={query}>
        {clients => {
          const fit = clients.filter(({ grant_types: grants }) => grants.includes(grant))
          const chosen = fit.find(({ client_id: id }) => id === clientId)
          const test = tests.made.find(({ client_id: id }) => id === clientId)
          const needsSecret = chosen !== undefined && chosen.token_endpoint_auth_method !== 'none'
          const typed = typedSecrets[clientId ?? ''] ?? ''
          const access = chosen && accessOf(chosen, test?.client_secret ?? typed)
          const Flow = COMPONENTS[flow]
          return (
            <>
              <LeftOver
                clients={clients.filter(
                  client =>
                    isTestClient(client) && !tests.made.some(({ client_id: id }) => id === client.client_id),
                )}
              />
              <ClientChoice
                clients={fit}
                unfit={{ count: clients.length - fit.length, grant }}
                chosen={chosen}
                isTest={test !== undefined}
                secret={needsSecret && test === undefined ? typed : undefined}
                isBusy={testClient.isPending}
                error={testClient.error}
                onChoose={id => void go({ client: id })}
                onSecret={secret => setTypedSecrets({ ...typedSecrets, [clientId ?? '']: secret })}
                onMake={make}
                onRemove={() => testClient.mutate(clientId ?? '')}
              />
              {chosen === undefined && (
                <Empty
                  icon={<SignpostIcon size={40} />}
                  title={
                    clientId
                      ? 'That client does not exist, or does not support this flow'
                      : 'No client chosen'
                  }
                  description="Choose one of yours, or let this page make one for the test. It goes when you leave."
                  contents={
                    <Button icon={PlusIcon} loading={testClient.isPending} onClick={make}>
                      Make a test client
                    </Button>
                  }
                />
              )}
              {chosen !== undefined && access === undefined && (
                <Banner
                  variant="alert"
                  icon={<WarningIcon weight="fill" />}
                  title={`This page does not support ${chosen.token_endpoint_auth_method}`}
                  description="Such a client proves who it is with a private key, which a page should not be given."
                />
              )}
              {chosen !== undefined && access !== undefined && (
                <Flow key={`${flow} ${chosen.client_id} ${attempt}`} client={chosen} access={access} />
              )}
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

/** Undefined for ways to prove who it is that this page does not have. */
function accessOf(client: OAuthClient, secret: string): ClientAccess | undefined {
  const { client_id: id, token_endpoint_auth_method: method } = client
  if (method !== 'none' && method !== 'client_secret_basic' && method !== 'client_secret_post')
    return undefined
  return { id, method, secret }
}
