// Every view, in the order of the sidebar. A view is a folder whose path is its address; a new one goes in here.

import { auditLog } from './audit-log/view.ts'
import { billing } from './billing/view.ts'
import { advisor } from './database/advisor/view.ts'
import { backups } from './database/backups/view.ts'
import { migrations } from './database/migrations/view.ts'
import { policies } from './database/policies/view.ts'
import { schema } from './database/schema/view.ts'
import { sql } from './database/sql/view.ts'
import { table, tables } from './database/tables/view.ts'
import { gateway } from './gateway/view.ts'
import { identities, identity } from './identities/view.ts'
import { keys } from './keys/view.ts'
import { logs } from './logs/view.ts'
import { metrics } from './metrics/view.ts'
import { claims } from './oauth2/claims/view.ts'
import { oauthClient, oauthClients } from './oauth2/clients/view.ts'
import { consent } from './oauth2/consent/view.ts'
import { discovery } from './oauth2/discovery/view.ts'
import { flowTester, flowTesterCallback } from './oauth2/flow-tester/view.ts'
import { jwtDebugger } from './oauth2/jwt-debugger/view.ts'
import { signingKeys } from './oauth2/keys/view.ts'
import { oauthOverview } from './oauth2/overview/view.ts'
import { snippets } from './oauth2/snippets/view.ts'
import { tokens } from './oauth2/tokens/view.ts'
import { overview } from './overview/view.ts'
import { namespaces } from './permissions/namespaces/view.ts'
import { roles } from './permissions/roles/view.ts'
import { permissions } from './permissions/view.ts'
import { whoCanAccess } from './permissions/who-can-access/view.ts'
import { project, projects } from './projects/view.ts'
import { realtime } from './realtime/view.ts'
import { signedIn } from './signed-in/view.ts'
import { status } from './status/view.ts'
import { bucket, storage } from './storage/view.ts'
import { webhook, webhooks } from './webhooks/view.ts'

export const views = [
  overview,
  oauthOverview,
  oauthClients,
  oauthClient,
  tokens,
  signingKeys,
  consent,
  claims,
  flowTester,
  flowTesterCallback,
  jwtDebugger,
  snippets,
  discovery,
  permissions,
  whoCanAccess,
  roles,
  namespaces,
  tables,
  table,
  schema,
  policies,
  sql,
  migrations,
  advisor,
  backups,
  storage,
  bucket,
  webhooks,
  webhook,
  realtime,
  identities,
  identity,
  projects,
  project,
  keys,
  metrics,
  billing,
  logs,
  auditLog,
  status,
  gateway,
  signedIn,
] as const
