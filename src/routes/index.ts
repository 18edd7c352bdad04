// The route table: every endpoint of the service, in the order in which paths are tried. A file holds a noun's routes,
// each with all its mounts.

import type { AnyRoute } from '../http/route.ts'
import { advisorRoutes } from './advisor.ts'
import { auditLogRoutes } from './audit-logs.ts'
import { backupRoutes } from './backups.ts'
import { billingRoutes } from './billing.ts'
import { bridgeRoutes } from './bridge.ts'
import { claimsConfigRoutes } from './claims.ts'
import { consentRoutes } from './consents.ts'
import { dataRoutes } from './data-api.ts'
import { databaseRoutes } from './database.ts'
import { gatewayRoutes } from './gateway.ts'
import { healthRoutes } from './health.ts'
import { identityRoutes } from './identities.ts'
import { keyRoutes } from './keys.ts'
import { logRoutes } from './logs.ts'
import { metricsRoutes } from './metrics.ts'
import { migrationRoutes } from './migrations.ts'
import { oauthClientRoutes } from './oauth-clients.ts'
import { oauthServerRoutes } from './oauth-server.ts'
import { tokenRoutes } from './oauth-tokens.ts'
import { permissionRoutes } from './permissions.ts'
import { projectRoutes } from './projects.ts'
import { realtimeRoutes } from './realtime.ts'
import { rowChangeRoutes } from './row-changes.ts'
import { sessionRoutes } from './sessions.ts'
import { signingKeyRoutes } from './signing-keys.ts'
import { sqlRoutes } from './sql.ts'
import { statusRoutes } from './status.ts'
import { storageBlobRoutes } from './storage-blobs.ts'
import { storageBucketRoutes } from './storage-buckets.ts'
import { storageImageRoutes } from './storage-images.ts'
import { storageObjectRoutes } from './storage-objects.ts'
import { storagePolicyRoutes } from './storage-policies.ts'
import { storageSignedRoutes } from './storage-signed.ts'
import { supabaseRestRoutes } from './supabase-rest.ts'
import { supabaseBucketRoutes } from './supabase-storage-buckets.ts'
import { supabaseObjectRoutes } from './supabase-storage-objects.ts'
import { supabasePublicRoutes } from './supabase-storage-public.ts'
import { supabaseStatusRoutes } from './supabase-storage-status.ts'
import { supabaseTusRoutes } from './supabase-storage-tus.ts'
import { webhookRoutes } from './webhooks.ts'

export const allRoutes: readonly AnyRoute[] = [
  ...healthRoutes,
  ...sqlRoutes,
  ...dataRoutes,
  ...supabaseRestRoutes,
  ...storageBucketRoutes,
  ...storageObjectRoutes,
  ...storageImageRoutes,
  ...storageSignedRoutes,
  ...storagePolicyRoutes,
  ...supabasePublicRoutes,
  ...supabaseBucketRoutes,
  ...supabaseObjectRoutes,
  ...supabaseStatusRoutes,
  ...realtimeRoutes,
  ...databaseRoutes,
  ...advisorRoutes,
  ...backupRoutes,
  ...storageBlobRoutes,
  ...statusRoutes,
  ...metricsRoutes,
  ...billingRoutes,
  ...logRoutes,
  ...gatewayRoutes,
  ...projectRoutes,
  ...keyRoutes,
  ...sessionRoutes,
  ...identityRoutes,
  ...auditLogRoutes,
  ...oauthServerRoutes,
  ...oauthClientRoutes,
  ...claimsConfigRoutes,
  ...signingKeyRoutes,
  ...tokenRoutes,
  ...consentRoutes,
  ...bridgeRoutes,
  ...permissionRoutes,
  ...migrationRoutes,
  ...supabaseTusRoutes,
  ...webhookRoutes,
  ...rowChangeRoutes,
]
