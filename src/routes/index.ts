// The route table: every endpoint of the service, in the order in which paths are tried.

import type { AnyRoute } from '../http/route.ts'
import { dashboardAuditLogRoutes } from './api/audit-logs.ts'
import { dashboardAuthRoutes } from './api/auth.ts'
import { databaseRoutes } from './api/database.ts'
import { dashboardDbRoutes } from './api/db.ts'
import { dashboardKeyRoutes } from './api/keys.ts'
import { migrationRoutes } from './api/migrations.ts'
import { dashboardModuleRoutes } from './api/modules.ts'
import { bridgeRoutes } from './api/oauthsrv/bridge.ts'
import { claimsConfigRoutes } from './api/oauthsrv/claims-config.ts'
import { oauthClientRoutes } from './api/oauthsrv/clients.ts'
import { consentRoutes } from './api/oauthsrv/consent.ts'
import { deviceAuthorizationRoutes } from './api/oauthsrv/device-authorization.ts'
import { oauthServerRoutes } from './api/oauthsrv/index.ts'
import { signingKeyRoutes } from './api/oauthsrv/keys.ts'
import { tokenRoutes } from './api/oauthsrv/tokens.ts'
import { permissionRoutes } from './api/permsrv.ts'
import { sessionRoutes } from './api/session.ts'
import { dashboardSqlRoutes } from './api/sql.ts'
import { dashboardStatusRoutes } from './api/status.ts'
import { webhookRoutes } from './api/webhooks.ts'
import { healthRoutes } from './health.ts'
import { rowChangeRoutes } from './internal/row-changes.ts'
import { auditLogRoutes } from './v1/audit-logs.ts'
import { authRoutes } from './v1/auth.ts'
import { dbRoutes } from './v1/db.ts'
import { keyRoutes } from './v1/keys.ts'
import { moduleRoutes } from './v1/modules.ts'
import { oauth2Routes } from './v1/oauth2.ts'
import { sqlRoutes } from './v1/sql.ts'
import { statusRoutes } from './v1/status.ts'
import { webhookViewRoutes } from './v1/webhooks.ts'

export const allRoutes: readonly AnyRoute[] = [
  ...healthRoutes,
  ...sqlRoutes,
  ...dbRoutes,
  ...statusRoutes,
  ...moduleRoutes,
  ...keyRoutes,
  ...authRoutes,
  ...auditLogRoutes,
  ...oauth2Routes,
  ...oauthServerRoutes,
  ...oauthClientRoutes,
  ...claimsConfigRoutes,
  ...signingKeyRoutes,
  ...tokenRoutes,
  ...consentRoutes,
  ...bridgeRoutes,
  ...permissionRoutes,
  ...migrationRoutes,
  ...webhookViewRoutes,
  ...webhookRoutes,
  ...sessionRoutes,
  ...dashboardKeyRoutes,
  ...dashboardAuditLogRoutes,
  ...dashboardStatusRoutes,
  ...dashboardModuleRoutes,
  ...dashboardAuthRoutes,
  ...databaseRoutes,
  ...dashboardDbRoutes,
  ...dashboardSqlRoutes,
  ...deviceAuthorizationRoutes,
  ...rowChangeRoutes,
]
