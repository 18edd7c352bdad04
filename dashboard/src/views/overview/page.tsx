// The start page: is everything well, what failed lately, what changed last; at the beginning, what to do first.

import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { bridgeQuery, oauthHealthQuery, statusQuery } from '../../api/platform.ts'
import { useSession } from '../../api/session.ts'
import { Page } from '../../parts/page.tsx'
import { attentionOf } from './attention.ts'
import { AttentionList } from './attention-list.tsx'
import { FirstSteps } from './first-steps.tsx'
import { Health } from './health.tsx'
import { LastChanges } from './last-changes.tsx'
import { failedChangesQuery, givenUpQuery, migrationsQuery, webhooksQuery, yesterday } from './queries.ts'
import { Tour } from './tour.tsx'
import { isTourSeen, rememberTour } from './tour-seen.ts'

const view = getRouteApi('/')

export function OverviewPage() {
  const { tour } = view.useSearch()
  const navigate = view.useNavigate()
  const [isSeen, setSeen] = useState(isTourSeen)
  const hideTour = () => {
    rememberTour()
    setSeen(true)
    void navigate({ search: {}, replace: true })
  }
  return (
    <Page title="Overview" lead="Health, failures of the last day, and the latest changes.">
      {(tour || !isSeen) && <Tour onDone={hideTour} />}
      <Attention />
      <FirstSteps />
      <div className="grid gap-6 lg:grid-cols-2">
        <Health />
        <LastChanges />
      </div>
    </Page>
  )
}

function Attention() {
  const { is_admin: isAdmin } = useSession()
  const status = useQuery({ ...statusQuery, enabled: isAdmin })
  const oauth = useQuery(oauthHealthQuery)
  const bridge = useQuery(bridgeQuery)
  const webhooks = useQuery(webhooksQuery)
  const migrations = useQuery(migrationsQuery)
  const failedChanges = useQuery({ ...failedChangesQuery(yesterday()), enabled: isAdmin })
  // The platform's own count says whether there are any; members cannot ask for it.
  const mayHaveLetters = isAdmin ? (status.data?.webhooks.dead_letters ?? 0) > 0 : true
  const hasWebhooks = (webhooks.data?.length ?? 0) > 0
  const givenUp = useQuery({
    ...givenUpQuery(webhooks.data ?? []),
    enabled: mayHaveLetters && hasWebhooks,
  })
  const all = {
    status,
    'the OAuth2 server': oauth,
    'login and consent': bridge,
    webhooks,
    migrations,
    'failed changes': failedChanges,
    'events that were given up': givenUp,
  }
  return (
    <AttentionList
      items={attentionOf({
        failures: Object.entries(all).flatMap(([part, { failureReason }]) =>
          failureReason === null ? [] : [{ part, message: failureReason.message }],
        ),
        status: status.data,
        oauth: oauth.data,
        bridge: bridge.data,
        webhooks: webhooks.data,
        givenUp: givenUp.data,
        migrations: migrations.data,
        failedChanges: failedChanges.data,
      })}
      // A query that is not asked is pending too, and fetches nothing.
      isKnown={Object.values(all).every(query => query.data !== undefined || query.fetchStatus === 'idle')}
    />
  )
}
