// The composition root: bindings and variables in, dependencies out. The only file that touches bindings, and the
// only home of what an isolate remembers between requests.

import type { Upstream } from './clients/http.ts'
import { whoami } from './clients/identity.ts'
import { fetchPublicKeys } from './clients/oauth-server/documents.ts'
import { introspectToken } from './clients/oauth-server/introspection.ts'
import { type Config, parseConfig } from './config.ts'
import { DataDatabase, PlatformDatabase } from './db/database.ts'
import { makeOwnerConnections, type OwnerConnections } from './db/owner-connections.ts'
import { SqlWire } from './db/sql-wire.ts'
import { AddressGate, type AddressLimiter } from './features/api-keys/limit/address-gate.ts'
import { KeyGate } from './features/api-keys/limit/key-gate.ts'
import type { KeyLimiter, KeyLimiters } from './features/api-keys/limit/key-limiter.ts'
import { UnknownKeyGuard } from './features/api-keys/limit/unknown-keys.ts'
import { hashKey, parseKey } from './features/api-keys/record/key-format.ts'
import { type CatalogCache, makeCatalog } from './features/data-api/catalog/catalog.ts'
import { bundledMigrations } from './features/migrations/bundled-migrations.ts'
import type { BundledMigrations } from './features/migrations/migration-file.ts'
import { PublicDocuments } from './features/oauth/documents/public-documents.ts'
import {
  type AccessTokenRules,
  type EndUser,
  invalidAccessToken,
  isJwt,
  verifyAccessToken,
} from './features/oauth/end-user/access-token.ts'
import { type EndUserTokens, OpaqueTokenGate } from './features/oauth/end-user/opaque-token.ts'
import { TokenClients } from './features/oauth/end-user/token-clients.ts'
import { TokenKeys } from './features/oauth/end-user/token-keys.ts'
import { bundledPermissions } from './features/permissions/bundled-file.ts'
import type { BundledPermissions } from './features/permissions/permission-deps.ts'
import type { RowChangeSubscriber } from './features/row-changes/consume/subscriber.ts'
import type { RowChangesQueue } from './features/row-changes/ingest/enqueue.ts'
import { makeIngestVerifier, type VerifyIngest } from './features/row-changes/ingest/ingest-verifier.ts'
import { SessionGate } from './features/sessions/session-gate.ts'
import { loadSqlParser } from './features/sql/load-parser.ts'
import { makeSqlRuntime, type SqlRuntime } from './features/sql/run-sql.ts'
import { deploymentWarnings } from './features/status/warnings.ts'
import type { WebhookFanout, WebhookFanouts } from './features/webhooks/delivery/fanout-contract.ts'
import { makeSecretBox, type SecretBox } from './features/webhooks/secret-box.ts'
import { WebhookRegistry } from './features/webhooks/subscription/webhook-registry.ts'
import { webhookSubscriber } from './features/webhooks/subscription/webhook-subscriber.ts'
import { makeTargetGuard, type TargetGuard } from './features/webhooks/target-guard.ts'
import { BoundedMap } from './lib/bounded-map.ts'
import { type Deadline, deadline } from './lib/deadline.ts'
import { hostsOf, type TargetRules } from './lib/target-address.ts'

/** The Worker's bindings; its variables are read by `config.ts`. */
export interface Env {
  /** One `ApiKeyLimiter` per key; written by shape, so that Node programs can read this file's types. */
  API_KEY_LIMITER: { getByName(keyHash: string): KeyLimiter }
  /** One `AddressLimiter` per client address and allowance. */
  ADDRESS_LIMITER: { getByName(name: string): AddressLimiter }
  /** One `WebhookFanout` per webhook. */
  WEBHOOK_FANOUT: { getByName(webhookId: string): WebhookFanout }
  /** The queue from the ingest route to its consumer. */
  ROW_CHANGES: RowChangesQueue
}

/** What handlers and features are given. A feature names the parts it needs and gets no others. */
export interface Deps {
  config: Config
  /** Quoin's own tables, as the owner. */
  platform: PlatformDatabase
  /** The OAuth2 server's own, for deleting ended tokens; undefined where the deployment does not name it. */
  oauthDatabase: PlatformDatabase | undefined
  /** Callers' data, under the role of their key. */
  data: DataDatabase
  /** Tables and functions of the exposed schemas, as Postgres has them. */
  catalog: CatalogCache
  /** Postgres' own parser, and what was learned of statements and types. */
  sql: SqlRuntime
  identifyKey: (text: string) => Promise<string | null>
  /** Lets requests in; for changing a key there are `limiters`. */
  keyGate: KeyGate
  unknownKeyGuard: UnknownKeyGuard
  limiters: KeyLimiters
  verifyAccessToken: (token: string) => Promise<EndUser>
  /** How JWT access tokens are verified, beside API keys and before they are revoked; undefined: none are taken. */
  accessTokenRules: AccessTokenRules | undefined
  /** What is remembered of end users' tokens; for whoever ends some. */
  endUserTokens: EndUserTokens
  /** Lets sessions of the identity provider into `/api`. */
  sessionGate: SessionGate
  addressGate: AddressGate
  upstreams: Upstreams
  /** The OAuth2 server's discovery document and public keys, kept for a short time. */
  oauthDocuments: PublicDocuments
  /** The migrations that the Worker was built with. */
  migrations: BundledMigrations
  /** Sessions of the owner, for migrations. */
  ownerConnections: OwnerConnections
  /** What may be granted: namespaces, relations and permits. */
  permissionFile: BundledPermissions
  /** Whether the listener signed a request; undefined without a secret of 32 bytes. */
  verifyIngest: VerifyIngest | undefined
  rowChanges: RowChangesQueue
  /** Who is told of row changes. */
  rowChangeSubscribers: readonly RowChangeSubscriber[]
  fanouts: WebhookFanouts
  /** Where webhooks may send. */
  targetRules: TargetRules
  targetGuard: TargetGuard
  /** For secrets of webhooks; undefined without SECRETS_KEY. */
  secretBox: SecretBox | undefined
  now: () => Date
}

/** The outside servers, each by the address and credentials it is called with. */
export interface Upstreams {
  oauthPublic: Upstream
  oauthAdmin: Upstream
  identityPublic: Upstream
  identityAdmin: Upstream
  permissionRead: Upstream
  permissionWrite: Upstream
}

/** Told of each trip to the database, so that a request's answer can say where its time went. */
export interface TripObserver {
  add(name: 'database', milliseconds: number): void
}

/** How many keys an isolate remembers; an older one only costs a hash and a look-up again. */
const SEEN_KEYS_MAX = 10_000

/** One isolate's dependencies, by the environment they were made from (tests run several in one process). */
const cache = new WeakMap<object, Deps>()

/** The isolate's dependencies, with databases that report to `observer`: the view of one request. */
export function depsForRequest(env: object, observer: TripObserver): Deps {
  const deps = depsOf(env)
  const onTrip = (milliseconds: number) => observer.add('database', milliseconds)
  return { ...deps, platform: deps.platform.observed(onTrip), data: deps.data.observed(onTrip) }
}

/**
 * The dependencies of an isolate; made on first use, because only then is there an environment. Throws `ConfigError`.
 */
export function depsOf(env: object): Deps {
  const cached = cache.get(env)
  if (cached) return cached
  // The runtime hands every entry point the environment that wrangler.toml declares.
  const deps = makeDeps(env as Env)
  cache.set(env, deps)
  return deps
}

function makeDeps(env: Env): Deps {
  const config = parseConfig(env)
  for (const message of deploymentWarnings(config)) console.warn(JSON.stringify({ level: 'warn', message }))
  const now = () => new Date()
  const limiters: KeyLimiters = { byHash: keyHash => env.API_KEY_LIMITER.getByName(keyHash) }
  const upstreams = makeUpstreams(config)
  const opaqueTokens = new OpaqueTokenGate({
    introspect: token => introspectToken(upstreams.oauthAdmin, token),
    audience: config.dataAudience,
    now,
  })
  const accessTokenRules = makeAccessTokenRules(config, upstreams, now)
  const platform = platformDatabase(config, deadline)
  const fanouts: WebhookFanouts = { byId: webhookId => env.WEBHOOK_FANOUT.getByName(webhookId) }
  return {
    config,
    platform,
    oauthDatabase:
      config.oauthDatabaseUrl === undefined ? undefined : ownerOf(config.oauthDatabaseUrl, config, deadline),
    data: new DataDatabase(
      new SqlWire({ connectionString: config.dataDatabaseUrl, gatewayUrl: config.sqlGatewayUrl }),
      { wipesPlans: config.sqlGatewayUrl !== undefined },
    ),
    catalog: makeCatalog({ schemas: config.dbSchemas, now }),
    sql: makeSqlRuntime(loadSqlParser),
    identifyKey: rememberingIdentifier(),
    keyGate: new KeyGate(limiters),
    unknownKeyGuard: new UnknownKeyGuard(),
    limiters,
    verifyAccessToken: accessTokenVerifier(config, upstreams, { accessTokenRules, opaqueTokens, now }),
    accessTokenRules,
    endUserTokens: { forget: () => opaqueTokens.forget() },
    sessionGate: new SessionGate({
      whoami: cookieHeader => whoami(upstreams.identityPublic, cookieHeader),
      adminIdentityIds: config.adminIdentityIds,
      dashboardRoles: config.dashboardRoles,
      now,
    }),
    addressGate: new AddressGate(
      { byName: name => env.ADDRESS_LIMITER.getByName(name) },
      { api: config.apiRateLimitPerMinute, consent: config.consentRateLimitPerMinute },
    ),
    upstreams,
    oauthDocuments: new PublicDocuments({ oauthPublic: upstreams.oauthPublic, now }),
    migrations: bundledMigrations,
    ownerConnections: makeOwnerConnections({
      connectionString: config.databaseUrl,
      gatewayUrl: config.sqlGatewayUrl,
    }),
    permissionFile: bundledPermissions,
    verifyIngest: makeIngestVerifier({ secrets: config.ingestSecret, now }),
    rowChanges: env.ROW_CHANGES,
    rowChangeSubscribers: [webhookSubscriber({ platform, fanouts, registry: new WebhookRegistry(platform) })],
    fanouts,
    ...makeTargets(config),
    secretBox: config.secretsKey === undefined ? undefined : makeSecretBox(config.secretsKey),
    now,
  }
}

function makeTargets(config: Config): Pick<Deps, 'targetRules' | 'targetGuard'> {
  const targetRules = {
    allowPrivate: config.allowPrivateWebhookTargets,
    ownHosts: hostsOf([config.baseUrl, config.dashboardUrl]),
  }
  const guardDeps = { rules: targetRules, fetch: callFetch, nowMs: () => Date.now() }
  return { targetRules, targetGuard: makeTargetGuard(guardDeps) }
}

// Looked up at each call: tests put a fetch of their own in its place.
const callFetch: typeof fetch = (...args) => fetch(...args)

function makeUpstreams(config: Config): Upstreams {
  const shared = { fetch: callFetch, timeoutMsMax: config.upstreamTimeoutMs }
  const oauth = { name: 'oauth_server', ...shared } as const
  const identity = { name: 'identity_provider', ...shared } as const
  const permission = { name: 'permission_server', ...shared } as const
  return {
    oauthPublic: { ...oauth, baseUrl: config.oauthPublicUrl, variable: 'OAUTH_PUBLIC_URL' },
    oauthAdmin: {
      ...oauth,
      baseUrl: config.oauthAdminUrl,
      variable: 'OAUTH_ADMIN_URL',
      token: config.oauthAdminToken,
    },
    identityPublic: { ...identity, baseUrl: config.identityPublicUrl, variable: 'IDENTITY_PUBLIC_URL' },
    identityAdmin: { ...identity, baseUrl: config.identityAdminUrl, variable: 'IDENTITY_ADMIN_URL' },
    permissionRead: { ...permission, baseUrl: config.permissionReadUrl, variable: 'PERMISSION_READ_URL' },
    permissionWrite: {
      ...permission,
      baseUrl: config.permissionWriteUrl,
      variable: 'PERMISSION_WRITE_URL',
      token: config.permissionAdminToken,
    },
  }
}

/** Quoin's own tables; Durable Objects make theirs with this too, with a shared deadline. */
export function platformDatabase(config: Config, deadline: Deadline): PlatformDatabase {
  return ownerOf(config.databaseUrl, config, deadline)
}

function ownerOf(
  connectionString: string,
  { sqlGatewayUrl: gatewayUrl }: Config,
  deadline: Deadline,
): PlatformDatabase {
  return new PlatformDatabase(new SqlWire({ connectionString, gatewayUrl }, { deadline }))
}

/** SHA-256 costs a tenth of a constant answer, so the hash of a key that was seen is kept. */
function rememberingIdentifier(): (text: string) => Promise<string | null> {
  const hashes = new BoundedMap<string, string>(SEEN_KEYS_MAX)
  return async text => {
    const known = hashes.get(text)
    if (known !== undefined) return known
    if (parseKey(text) === null) return null
    const hash = await hashKey(text)
    hashes.set(text, hash)
    return hash
  }
}

/**
 * Who an access token beside an API key belongs to: a JWT says so itself, of an opaque one the OAuth2 server is
 * asked.
 */
function accessTokenVerifier(
  config: Config,
  { oauthAdmin }: Upstreams,
  parts: {
    accessTokenRules: AccessTokenRules | undefined
    opaqueTokens: OpaqueTokenGate
    now: () => Date
  },
): (token: string) => Promise<EndUser> {
  const { accessTokenRules: rules, opaqueTokens, now } = parts
  const refuse = (unset: string) => () =>
    Promise.reject(invalidAccessToken(`This deployment takes none of its kind: ${unset} is not set.`))
  const verifyJwt =
    rules === undefined ? refuse('OAUTH_PUBLIC_URL') : (token: string) => verifyAccessToken(rules, token)
  const verifyOpaque =
    config.oauthAdminUrl === undefined
      ? refuse('OAUTH_ADMIN_URL')
      : (token: string) => opaqueTokens.enter(token)
  const clients = new TokenClients({ config, oauthAdmin, now })
  return async token => {
    const endUser = await (isJwt(token) ? verifyJwt(token) : verifyOpaque(token))
    if (!(await clients.includes(String(endUser.claims['client_id'])))) throw invalidAccessToken()
    return endUser
  }
}

function makeAccessTokenRules(
  { oauthIssuer, oauthPublicUrl, dataAudience: audience }: Config,
  { oauthPublic }: Upstreams,
  now: () => Date,
): AccessTokenRules | undefined {
  if (oauthPublicUrl === undefined) return undefined
  const issuers = oauthIssuer === undefined ? [oauthPublicUrl, `${oauthPublicUrl}/`] : [oauthIssuer]
  const keys = new TokenKeys({
    fetchKeys: () => fetchPublicKeys(oauthPublic),
    nowMs: () => now().getTime(),
    wait: milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds)),
  })
  return { issuers, audience, keys, now }
}
