// What the listener's tests share: a Postgres of their own with Quoin's tables, a fake ingest route, and listeners, in
// this process or as processes that can be killed.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { pino } from 'pino'
import { expect, onTestFinished } from 'vitest'
import { type ListenerLimits, readConfig } from '../../listener/config.ts'
import { type Listener, startListener } from '../../listener/listener.ts'
import type { TestPostgres } from '../gateway/support.ts'
import { type FakeIngest, SECRET, startFakeIngest } from './fake-ingest.ts'
import { createOutbox } from './outbox-tables.ts'

const MAIN = fileURLToPath(new URL('../../listener/main.ts', import.meta.url))

export interface World {
  readonly postgres: TestPostgres
  /** Connection string of a database with an outbox; one per test. */
  readonly databaseUrl: string
  readonly ingest: FakeIngest
  /** A connection of the test's own. */
  readonly client: pg.Client
}

export async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.end().catch(() => undefined))
  return client
}

let databases = 0

/** A new database and ingest route for this test. */
export async function makeWorld(postgres: TestPostgres): Promise<World> {
  databases += 1
  const name = `outbox_${databases}`
  await postgres.admin.query(`create database ${name}`)
  const databaseUrl = postgres.url('postgres').replace(/postgres$/, name)
  const client = await connect(databaseUrl)
  await createOutbox(databaseUrl, client)
  const ingest = await startFakeIngest(databaseUrl)
  onTestFinished(() => ingest.close())
  return { postgres, databaseUrl, ingest, client }
}

/** A listener in this process, closed after the test. */
export async function startTestListener(
  world: Pick<World, 'databaseUrl' | 'ingest'>,
  limits: Partial<ListenerLimits> = {},
): Promise<Listener> {
  const config = readConfig({
    LISTENER_DATABASE_URL: world.databaseUrl,
    INGEST_URL: world.ingest.url,
    INGEST_SECRET: SECRET,
    LISTENER_HEALTH_PORT: 0,
    LISTENER_STANDBY_POLL_MS: 100,
  })
  const listener = await startListener(
    { ...config, limits: { ...config.limits, backoffMsMax: 300, ...limits } },
    pino({ level: 'silent' }),
  )
  onTestFinished(() => listener.close())
  return listener
}

export interface ListenerProcess {
  readonly child: ChildProcess
  /** The lines of its log until now. */
  log(): Record<string, unknown>[]
}

/** A listener as a process of its own, killed after the test. */
export async function spawnListener(
  world: Pick<World, 'databaseUrl' | 'ingest'>,
  env: Record<string, string> = {},
): Promise<ListenerProcess> {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      LISTENER_DATABASE_URL: world.databaseUrl,
      INGEST_URL: world.ingest.url,
      INGEST_SECRET: `${SECRET},a secret that is not used for signing`,
      LISTENER_HEALTH_PORT: '0',
      LISTENER_STANDBY_POLL_MS: '100',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  })
  const log = (): Record<string, unknown>[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line))
  await expect.poll(() => log().length + (child.exitCode ?? 0)).toBeGreaterThan(0)
  return { child, log }
}

export function hasLogged(listener: ListenerProcess, message: string): boolean {
  return listener.log().some(({ msg }) => msg === message)
}

/** Waits until the listener has looked so many times more. */
export async function waitForLooks(listener: Pick<Listener, 'url'>, count: number): Promise<void> {
  const before = await metric(listener, 'looks_total')
  await expect.poll(() => metric(listener, 'looks_total')).toBeGreaterThanOrEqual(before + count)
}

export async function isFlagUp({ client }: World): Promise<boolean> {
  const { rows } = await client.query('select is_resting from quoin.listener_state')
  return rows[0].is_resting
}

/** Waits until the listener has raised the flag and looked once more. Figures are not to be asked for meanwhile. */
export async function waitUntilResting({ client }: World): Promise<void> {
  const looksAfterRaising = async (): Promise<boolean> => {
    const { rows } = await client.query(
      `select is_resting and state = 'idle' and query not like 'update%' as rests
       from quoin.listener_state, pg_stat_activity
       where application_name = 'quoin-listener' and datname = current_database()`,
    )
    return rows[0]?.rests === true
  }
  await expect.poll(looksAfterRaising).toBe(true)
}

export async function metric(listener: Pick<Listener, 'url'>, name: string): Promise<number> {
  const text = await (await fetch(`${listener.url}/metrics`)).text()
  const line = text.split('\n').find(each => each.startsWith(`quoin_listener_${name} `))
  return Number(line?.split(' ')[1])
}

/** The numbers that arrived, each once, after checking that those of one key came in the order of writing. */
export function arrivedInOrder({ arrived }: FakeIngest): number[] {
  const seen = new Set<string>()
  const first = arrived.filter(({ id }) => !seen.has(id) && seen.add(id))
  const last = new Map<string, number>()
  for (const { tableId, key, n } of first) {
    const before = last.get(`${tableId} ${key}`) ?? -1
    if (n < before) throw new Error(`${n} arrived after ${before}, both of ${key}`)
    last.set(`${tableId} ${key}`, n)
  }
  return first.map(({ n }) => n)
}

export async function countSessions(world: World): Promise<number> {
  const { rows } = await world.client.query(
    `select count(*)::int as sessions from pg_stat_activity
     where application_name = 'quoin-listener' and datname = current_database()`,
  )
  return rows[0].sessions
}
