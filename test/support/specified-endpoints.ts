// The endpoints of the specification that are built, as it writes them. A feature that adds some adds its lines here.

export const SPECIFIED_ENDPOINTS = [
  'POST /v1/sql',
  'POST /v1/sql/transaction',
  'GET /v1/db/:table',
  'POST /v1/db/:table',
  'PATCH /v1/db/:table',
  'DELETE /v1/db/:table',
  'POST /v1/db/rpc/:function',
  'GET /v1/status',
  'GET /v1/modules',
  'GET /v1/keys',
  'POST /v1/keys',
  'DELETE /v1/keys/:id',
  'POST /v1/keys/:id/rotate',
  'GET /v1/auth/identities',
  'GET /v1/auth/identities/:id',
  'GET /v1/audit-logs',
  'GET /api/oauthsrv/health',
  'GET /api/oauthsrv/discovery',
  'GET /api/oauthsrv/jwks',
] as const
