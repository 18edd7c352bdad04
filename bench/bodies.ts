// `npm run bench:bodies`: what hostile bodies do to the isolate, over every route that reads one: its longest pause
// and the memory it takes. Each at the largest size that the route takes. Prints the worst of each route; asserts
// nothing. BENCH_ROUNDS changes 3, BENCH_ONLY names a part of the path of the routes that are measured.

import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { storeApiKey } from '../cli/support/api-key.ts'
import type { StackFacts } from '../cli/support/dev-file.ts'
import { signIngest } from '../src/features/row-changes/ingest/ingest-signature.ts'
import { INGEST_BYTES_MAX, INGEST_PATH } from '../src/features/row-changes/ingest/messages.ts'
import { ARGUMENT_BODIES, fieldBodies, type HostileBody, ROW_BODIES } from './hostile-bodies.ts'
import { measurePause, type Pause, type PausingCall, send } from './isolate-pause.ts'
import { median } from './outbox-costs.ts'
import { startStack } from './stack.ts'
import { buildWorker, startWorkerd } from './workerd.ts'

const MEBIBYTE = 1024 * 1024
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const only = process.env.BENCH_ONLY ?? ''

/** A route as one kind of caller reaches it, and what is sent there. */
interface Target {
  route: string
  method: string
  path: string
  headers: Record<string, string>
  bytes: number
  bodies: readonly HostileBody[]
  sign?: (body: Buffer) => Promise<Record<string, string>>
}

interface Measured extends Pause {
  what: string
  bytes: number
}

const folder = await mkdtemp(join(tmpdir(), 'quoin-bench-'))
// As root, Postgres runs as another user, who must be able to pass through.
await chmod(folder, 0o755)
const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
try {
  const bundle = await buildWorker(join(folder, 'dist'))
  const stack = await startStack(join(folder, 'stack'))
  cleanups.push(stack.stop)
  const secret = randomBytes(32).toString('base64url')
  const targets = await targetsOf(stack.facts, secret)
  const variables = variablesOf(stack.facts, secret)
  const start = () => startWorkerd(join(folder, 'workerd'), bundle, stack.facts, variables)

  console.log(
    `\n${cpus().length} x ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, median of ${rounds}\n`,
  )
  console.log(
    '| route | body | MiB | status | pause, ms | ms a MiB | memory / body |\n|---|---|---|---|---|---|---|',
  )
  for (const target of targets.filter(({ route }) => new RegExp(only).test(route)))
    await measureTarget(target, start)
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup()
}

/** Bodies of rows each get a process of their own, since memory that a process has had it keeps. */
async function measureTarget(target: Target, start: () => ReturnType<typeof startWorkerd>): Promise<void> {
  const isOfRows = target.path.startsWith('/v1/db/')
  const measured: Measured[] = []
  for (const body of isOfRows ? target.bodies : await worstOf(target, start)) {
    measured.push(await measureBody(target, body, start))
  }
  measured.sort((a, b) => b.pauseMs - a.pauseMs)
  for (const one of isOfRows ? measured : measured.slice(0, 1)) print(target.route, one)
}

/** Of a schema's many bodies those that took longest in a first round. */
async function worstOf(target: Target, start: () => ReturnType<typeof startWorkerd>): Promise<HostileBody[]> {
  const worker = await start()
  const paused: { body: HostileBody; pauseMs: number }[] = []
  try {
    for (const body of target.bodies) {
      const { pauseMs } = await measurePause(worker.url, worker.pid, await callOf(target, body, worker.url))
      paused.push({ body, pauseMs })
    }
  } finally {
    await worker.stop()
  }
  return paused
    .sort((a, b) => b.pauseMs - a.pauseMs)
    .slice(0, 3)
    .map(({ body }) => body)
}

async function measureBody(
  target: Target,
  body: HostileBody,
  start: () => ReturnType<typeof startWorkerd>,
): Promise<Measured> {
  const pauses: Pause[] = []
  for (let round = 0; round < rounds; round++) {
    const worker = await start()
    try {
      const call = await callOf(target, body, worker.url)
      // The code is compiled and the catalog read before anything is measured.
      const small = await callOf({ ...target, bytes: 16_384 }, body, worker.url)
      for (let i = 0; i < 5; i++) await send(small)
      pauses.push(await measurePause(worker.url, worker.pid, call))
    } finally {
      await worker.stop()
    }
  }
  return {
    what: `${body.what}${body.type === 'application/json' ? '' : ` (${body.type.split('/')[1]?.slice(0, 6)})`}`,
    bytes: body.make(target.bytes).length,
    status: pauses[0]?.status ?? 0,
    pauseMs: median(pauses.map(({ pauseMs }) => pauseMs)),
    growthBytes: median(pauses.map(({ growthBytes }) => growthBytes)),
  }
}

async function callOf(target: Target, { type, make }: HostileBody, origin: string): Promise<PausingCall> {
  const body = make(target.bytes)
  const signed = await target.sign?.(body)
  const headers = { ...target.headers, ...signed, 'content-type': type }
  return { url: origin + target.path, method: target.method, headers, body }
}

function print(route: string, { what, bytes, status, pauseMs, growthBytes }: Measured): void {
  const size = bytes / MEBIBYTE
  const cells = [route, what, size.toFixed(2), status, pauseMs.toFixed(0), (pauseMs / size).toFixed(0)]
  console.log(`| ${[...cells, (growthBytes / bytes).toFixed(1)].join(' | ')} |`)
}

async function targetsOf(facts: StackFacts, secret: string): Promise<Target[]> {
  const { anon, service } = await prepare(facts)
  const session = { cookie: facts.session_cookie_admin ?? '' }
  const rows = (role: string, key: string, bytes: number): Target[] => {
    const common = { headers: { apikey: key, prefer: 'return=minimal' }, bytes }
    return [
      {
        ...common,
        route: `POST /v1/db/:table, ${role}`,
        method: 'POST',
        path: '/v1/db/bench_bodies',
        bodies: ROW_BODIES,
      },
      {
        ...common,
        route: `PATCH /v1/db/:table, ${role}`,
        method: 'PATCH',
        path: '/v1/db/bench_bodies?title=eq.x',
        bodies: ROW_BODIES.slice(0, 3),
      },
      {
        ...common,
        route: `POST /v1/db/rpc/:function, ${role}`,
        method: 'POST',
        path: '/v1/db/rpc/bench_bodies_call',
        headers: { apikey: key },
        bodies: ARGUMENT_BODIES,
      },
    ]
  }
  return [
    ...rows('anon', anon, MEBIBYTE),
    ...rows('service_role', service, 10 * MEBIBYTE),
    ...(await documentedTargets({ apikey: service }, session)),
    {
      route: `POST ${INGEST_PATH}`,
      method: 'POST',
      path: INGEST_PATH,
      headers: {},
      bytes: INGEST_BYTES_MAX,
      bodies: fieldBodies(['messages', 'registry_version'], { registry_version: 1 }),
      sign: body =>
        signIngest(secret, Math.floor(Date.now() / 1_000), { method: 'POST', path: INGEST_PATH, body }),
    },
  ]
}

/** Every other route with a body stands in the OpenAPI document, with the fields of its schema. */
async function documentedTargets(
  key: Record<string, string>,
  session: Record<string, string>,
): Promise<Target[]> {
  const { paths } = JSON.parse(await readFile('docs/openapi.json', 'utf8'))
  const targets: Target[] = []
  // biome-ignore lint/suspicious/noExplicitAny: OpenAPI says which shape the document has.
  for (const [path, methods] of Object.entries<Record<string, any>>(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const content = operation.requestBody?.content?.['application/json']
      if (content === undefined || path.startsWith('/v1/db/')) continue
      const fields = Object.keys(content.schema?.properties ?? {})
      const verb = method.toUpperCase()
      targets.push({
        route: `${verb} ${path}`,
        method: verb,
        path: path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000'),
        headers: path.startsWith('/api/') ? session : key,
        bytes: path.includes('/bridge/') ? 128 * 1024 : MEBIBYTE,
        bodies: fieldBodies(fields, content.example ?? {}),
      })
    }
  }
  return targets
}

async function prepare({ database_url }: StackFacts): Promise<{ anon: string; service: string }> {
  const client = new pg.Client({ connectionString: database_url })
  await client.connect()
  try {
    // Rows are looked at and thrown away: what is measured is the Worker.
    await client.query(`
      create table public.bench_bodies (title text, note text);
      create function public.bench_bodies_drop() returns trigger language plpgsql as 'begin return null; end';
      create trigger drop_all before insert on public.bench_bodies
        for each row execute function public.bench_bodies_drop();
      grant insert, update, select on public.bench_bodies to anon;
      create function public.bench_bodies_call(json) returns int language sql as 'select 1';
      grant execute on function public.bench_bodies_call(json) to anon, service_role`)
    const key = { name: 'bench', rateLimitPerMinute: 100_000_000 }
    const anon = await storeApiKey(client, { ...key, role: 'anon' })
    const service = await storeApiKey(client, { ...key, role: 'service_role' })
    return { anon: anon.key, service: service.key }
  } finally {
    await client.end()
  }
}

function variablesOf(facts: StackFacts, secret: string): Record<string, string> {
  return {
    INGEST_SECRET: secret,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    OAUTH_PUBLIC_URL: facts.oauth_public_url ?? '',
    OAUTH_ADMIN_URL: facts.oauth_admin_url ?? '',
    IDENTITY_PUBLIC_URL: facts.identity_public_url ?? '',
    IDENTITY_ADMIN_URL: facts.identity_admin_url ?? '',
    DASHBOARD_URL: facts.dashboard_url,
    API_RATE_LIMIT_PER_MINUTE: '1000000',
  }
}
