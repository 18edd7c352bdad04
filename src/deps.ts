// The composition root: bindings and variables in, dependencies out. The only file that touches bindings, and the
// only home of what an isolate remembers between requests.

import { whoami } from './clients/identity.ts'
import { makeUpstreams } from './clients/upstreams.ts'
import { type Config, parseConfig } from './config.ts'
import { DataDatabase, PlatformDatabase } from './db/database.ts'
import { makeOwnerConnections } from './db/owner-connections.ts'
import { SqlWire } from './db/sql-wire.ts'
import { AdvisorRuns } from './features/advisor/advisor-runs.ts'
import { AddressGate, type AddressLimiter } from './features/api-keys/limit/address-gate.ts'
import { KeyGate } from './features/api-keys/limit/key-gate.ts'
import type { KeyLimiter, KeyLimiters } from './features/api-keys/limit/key-limiter.ts'
import { UnknownKeyGuard } from './features/api-keys/limit/unknown-keys.ts'
import { makeKeyIdentifier } from './features/api-keys/record/key-identifier.ts'
import { makeCatalog } from './features/data-api/catalog/catalog.ts'
import { type AskedQueue, makeGatewayHealth } from './features/gateway/health.ts'
import { RequestCollector } from './features/metrics/request-collector.ts'
import type { RequestMetrics } from './features/metrics/request-metrics.ts'
import { bundledMigrations } from './features/migrations/bundled-migrations.ts'
import { PublicDocuments } from './features/oauth/documents/public-documents.ts'
import { makeEndUserTokens } from './features/oauth/end-user/end-user-tokens.ts'
import { bundledPermissions } from './features/permissions/bundled-file.ts'
import type { RealtimeHub, RealtimeHubs } from './features/realtime/hub/hub-contract.ts'
import type { RealtimeLog } from './features/realtime/log/log-contract.ts'
import { realtimeSubscriber } from './features/realtime/log/realtime-subscriber.ts'
import { watchRegistry } from './features/realtime/log/watch-registry.ts'
import { type SocketsOf, tellHubs } from './features/realtime/tell-hubs.ts'
import type { RowChangesQueue } from './features/row-changes/ingest/enqueue.ts'
import { makeIngestVerifier } from './features/row-changes/ingest/ingest-verifier.ts'
import { SessionGate } from './features/sessions/session-gate.ts'
import { loadSqlParser } from './features/sql/load-parser.ts'
import { makeSqlRuntime } from './features/sql/run-sql.ts'
import { deploymentWarnings } from './features/status/warnings.ts'
import { makeBlobStore } from './features/storage/blobs/blob-store.ts'
import type { Bucket } from './features/storage/blobs/bucket.ts'
import { makeImageCache } from './features/storage/images/image-cache.ts'
import type { Images } from './features/storage/images/images-binding.ts'
import { PublicRows } from './features/storage/public/public-row.ts'
import type { ResumableUpload, ResumableUploads } from './features/storage/resumable/upload-contract.ts'
import { makeSignedUrls } from './features/storage/signed/signed-urls.ts'
import type { WebhookFanout, WebhookFanouts } from './features/webhooks/delivery/fanout-contract.ts'
import { makeSecretBox } from './features/webhooks/secret-box.ts'
import { webhookRegistry } from './features/webhooks/subscription/webhook-registry.ts'
import { webhookSubscriber } from './features/webhooks/subscription/webhook-subscriber.ts'
import { makeTargetGuard } from './features/webhooks/target-guard.ts'
import { type Deadline, deadline } from './lib/deadline.ts'
import { targetRulesOf } from './lib/target-address.ts'

/** The Worker's bindings; its variables are read by `config.ts`. */
export interface Env {
  /** One `ApiKeyLimiter` per key; written by shape, so that Node programs can read this file's types. */
  API_KEY_LIMITER: { getByName(keyHash: string): KeyLimiter }
  /** One `AddressLimiter` per client address and allowance. */
  ADDRESS_LIMITER: { getByName(name: string): AddressLimiter }
  /** One `WebhookFanout` per webhook. */
  WEBHOOK_FANOUT: { getByName(webhookId: string): WebhookFanout }
  /** The one `RequestMetrics`, named `all`. */
  REQUEST_METRICS: { getByName(name: 'all'): RequestMetrics }
  /** One `ResumableUpload` per upload. */
  RESUMABLE_UPLOAD: { getByName(uploadId: string): ResumableUpload }
  /** The one `RealtimeLog`, named `all`. */
  REALTIME_LOG: { getByName(name: 'all'): RealtimeLog }
  /** One `RealtimeHub` per project. */
  REALTIME_HUB: { getByName(projectId: string): RealtimeHub }
  /** The queue from the ingest route to its consumer. */
  ROW_CHANGES: RowChangesQueue & AskedQueue
  /** Where the bytes of files are. */
  STORAGE: Bucket
  /** Where images are made; a deployment may go without. */
  IMAGES?: Images
}

/** What handlers and features are given. A feature names the parts it needs and gets no others. */
export type Deps = ReturnType<typeof makeDeps>

/** Told of each trip to the database, so that a request's answer can say where its time went. */
export interface TripObserver {
  add(name: 'database', milliseconds: number): void
}

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

function makeDeps(env: Env) {
  const config = parseConfig(env)
  for (const message of deploymentWarnings(config)) console.warn(JSON.stringify({ level: 'warn', message }))
  const now = () => new Date()
  const limiters: KeyLimiters = { byHash: keyHash => env.API_KEY_LIMITER.getByName(keyHash) }
  const upstreams = makeUpstreams(config, callFetch)
  const platform = platformDatabase(config, deadline)
  const fanouts: WebhookFanouts = { byId: webhookId => env.WEBHOOK_FANOUT.getByName(webhookId) }
  const uploads: ResumableUploads = { byId: uploadId => env.RESUMABLE_UPLOAD.getByName(uploadId) }
  const requestMetrics = () => env.REQUEST_METRICS.getByName('all')
  const hubs: RealtimeHubs = { byProject: projectId => env.REALTIME_HUB.getByName(projectId) }
  const realtimeLog = () => env.REALTIME_LOG.getByName('all')
  const targetRules = targetRulesOf(config)
  return {
    config,
    now,
    /** Quoin's own tables, as the owner. */
    platform,
    /** The OAuth2 server's own, for deleting ended tokens; undefined where the deployment does not name it. */
    oauthDatabase:
      config.oauthDatabaseUrl === undefined ? undefined : ownerOf(config.oauthDatabaseUrl, config, deadline),
    /** Callers' data, under the role of their key. */
    data: dataDatabase(config, deadline),
    /** Sessions of the owner, for migrations. */
    ownerConnections: makeOwnerConnections({
      connectionString: config.databaseUrl,
      gatewayUrl: config.sqlGatewayUrl,
    }),
    /** Tables and functions of the exposed schemas, as Postgres has them. */
    catalog: makeCatalog({ schemas: config.dbSchemas, now }),
    /** Runs of the advisor that are under way. */
    advisorRuns: new AdvisorRuns(now),
    /** Postgres' own parser, and what was learned of statements and types. */
    sql: makeSqlRuntime(loadSqlParser),
    identifyKey: makeKeyIdentifier(),
    /** Lets requests in; for changing a key there are `limiters`. */
    keyGate: new KeyGate(limiters, timeAfter),
    unknownKeyGuard: new UnknownKeyGuard(),
    limiters,
    ...makeEndUserTokens({ config, upstreams, now }),
    /** Lets sessions of the identity provider into `/api`. */
    sessionGate: new SessionGate({
      whoami: cookieHeader => whoami(upstreams.identityPublic, cookieHeader),
      adminIdentityIds: config.adminIdentityIds,
      dashboardRoles: config.dashboardRoles,
      now,
    }),
    addressGate: new AddressGate(
      { byName: name => env.ADDRESS_LIMITER.getByName(name) },
      {
        api: config.apiRateLimitPerMinute,
        consent: config.consentRateLimitPerMinute,
        storage: config.storagePublicRateLimitPerMinute,
        render: config.storageRenderRateLimitPerMinute,
      },
    ),
    upstreams,
    /** How the parts outside do, asked by one request at a time. */
    gatewayHealth: makeGatewayHealth(now),
    /** The OAuth2 server's discovery document and public keys, kept for a short time. */
    oauthDocuments: new PublicDocuments({ oauthPublic: upstreams.oauthPublic, now }),
    /** The migrations that the Worker was built with. */
    migrations: bundledMigrations,
    /** What may be granted: namespaces, relations and permits. */
    permissionFile: bundledPermissions,
    /** Whether the listener signed a request; undefined without a secret of 32 bytes. */
    verifyIngest: makeIngestVerifier({ secrets: config.ingestSecret, now }),
    /** The bytes of files. */
    blobs: makeBlobStore(env.STORAGE),
    requestMetrics,
    /** What this isolate has answered. */
    requestCollector: new RequestCollector({ requestMetrics, timeAfter }),
    rowChanges: env.ROW_CHANGES,
    /** Who is told of row changes. */
    rowChangeSubscribers: [
      webhookSubscriber({ platform, fanouts, registry: webhookRegistry(platform) }),
      realtimeSubscriber({ platform, log: realtimeLog, registry: watchRegistry(platform) }),
    ],
    /** Who holds the sockets of a project. */
    hubs,
    /** Closes sockets of what has ended. Never throws. */
    recheckSockets: (whose: SocketsOf) => tellHubs({ hubs, platform }, whose),
    realtimeLog,
    fanouts,
    uploads,
    /** Where webhooks may send. */
    targetRules,
    targetGuard: makeTargetGuard({ rules: targetRules, fetch: callFetch, nowMs: () => Date.now() }),
    /** For secrets of webhooks; undefined without SECRETS_KEY. */
    secretBox: config.secretsKey === undefined ? undefined : makeSecretBox(config.secretsKey),
    /** Makes and checks the tokens of signed addresses of files. */
    signedUrls: makeSignedUrls(config.storageSigningKeys),
    /** What this isolate remembers of files that are served without asking policies. */
    publicRows: new PublicRows(now),
    /** What makes images in other sizes; undefined without the binding. */
    images: env.IMAGES,
    imageCache: makeImageCache(),
  }
}

/** The time once so many milliseconds have passed. */
const timeAfter = (milliseconds: number) =>
  new Promise<number>(resolve => setTimeout(() => resolve(Date.now()), milliseconds))

// Looked up at each call: tests put a fetch of their own in its place.
const callFetch: typeof fetch = (...args) => fetch(...args)

/** Callers' data; likewise. */
export function dataDatabase(config: Config, deadline: Deadline): DataDatabase {
  const { dataDatabaseUrl: connectionString, sqlGatewayUrl: gatewayUrl } = config
  const wire = new SqlWire({ connectionString, gatewayUrl }, { deadline })
  return new DataDatabase(wire, { wipesPlans: gatewayUrl !== undefined })
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
