// Has sockets closed whose key, project or session may have ended: their hubs ask, and decide. A hub that cannot be
// told asks by itself within a minute.

import type { PlatformDatabase } from '../../db/database.ts'
import { deadline } from '../../lib/deadline.ts'
import type { RealtimeHubs } from './hub/hub-contract.ts'

/** Whose sockets: those of a project, or those that a person of the dashboard opened by ticket. */
export type SocketsOf = { readonly projectId: string } | { readonly identityId: string }

interface TellHubsDeps {
  readonly hubs: RealtimeHubs
  readonly platform: Pick<PlatformDatabase, 'query'>
}

/** Whoever revokes a key waits for the answer. */
const TELLING_TIMEOUT_MS = 2_000

/** Sessions of the identity provider live for a month at most, unless it is set up otherwise. */
const TICKETS_SQL = `select distinct target_id from quoin.audit_logs
  where actor_id = $1 and actor_kind = 'session' and action = 'realtime.issue_ticket' and target_id is not null
    and created_at > now() - interval '31 days' limit 100`

/** Tells the hubs, for two seconds at most. Never throws: what ended has ended without it. */
export async function tellHubs(deps: TellHubsDeps, whose: SocketsOf): Promise<void> {
  try {
    await deadline(TELLING_TIMEOUT_MS, recheck(deps, whose))
  } catch (err) {
    console.warn(JSON.stringify({ level: 'warn', message: 'a hub was not told', cause: String(err) }))
  }
}

async function recheck({ hubs, platform }: TellHubsDeps, whose: SocketsOf): Promise<void> {
  const projectIds =
    'projectId' in whose
      ? [whose.projectId]
      : (await platform.query<{ target_id: string }>(TICKETS_SQL, [whose.identityId], 'repeatable')).map(
          row => row.target_id,
        )
  await Promise.all(projectIds.map(id => hubs.byProject(id).recheck()))
}
