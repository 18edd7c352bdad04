// OAuth2 at a glance: is it well, what is there, what changed last.

import { LinkButton } from '@cloudflare/kumo'
import { PlusIcon } from '@phosphor-icons/react'
import { Page } from '../../../parts/page.tsx'
import { Bridge } from './bridge.tsx'
import { FirstSteps } from './first-steps.tsx'
import { PartsList } from './parts-list.tsx'
import { RecentChanges } from './recent-changes.tsx'
import { ServerHealth } from './server-health.tsx'
import { Tiles } from './tiles.tsx'

export function OAuthOverviewPage() {
  return (
    <Page
      title="OAuth2"
      lead="Applications sign people in, and get tokens for APIs, at the OAuth2 server."
      actions={
        <LinkButton href="/oauth2/clients?create=true" variant="primary" icon={PlusIcon}>
          Create client
        </LinkButton>
      }
    >
      <FirstSteps />
      <Tiles />
      <div className="grid gap-6 xl:grid-cols-[3fr_2fr]">
        <div className="flex min-w-0 flex-col gap-6">
          <ServerHealth />
          <Bridge />
        </div>
        <RecentChanges />
      </div>
      <PartsList />
    </Page>
  )
}
