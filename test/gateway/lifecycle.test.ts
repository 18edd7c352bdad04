/** The gateway as a process beside Postgres: start, health, Postgres going away and coming back, shutdown. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../local/ports.ts'
import { type Gateway, startGateway } from '../../sql-gateway/server.ts'
import {
  countRunning,
  makePost,
  mark,
  q,
  startPostgres,
  startTestGateway,
  type TestPostgres,
} from './support.ts'

const MAIN = fileURLToPath(new URL('../../sql-gateway/main.ts', import.meta.url))

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startPostgres()
}, 60_000)

afterAll(async () => {
  await postgres.remove()
})

async function sessionsOf(user: string): Promise<number> {
  const { rows } = await postgres.admin.query(
    'select count(*)::int as n from pg_stat_activity where usename = $1',
    [user],
  )
  return rows[0].n
}

describe('Postgres', () => {
  it.each(['app', 'cleartext_user', 'md5_user'])('lets the gateway in over TCP as %s', async user => {
    const gateway = await startGateway({ databaseUrls: [postgres.url(user)] })
    const { json } = await makePost(gateway, postgres.url(user))(q('select current_user'))
    expect(json.rows).toEqual([[user]])
    await gateway.close()
  })

  it('is named when it refuses or cannot be reached', async () => {
    const port = await freePort()
    const refused = postgres.url().replace('APP', 'WRONG')
    const away = `postgresql://app:APP@127.0.0.1:${port}/app`
    const gateway = await startGateway({ databaseUrls: [refused, away] })
    expect((await makePost(gateway, refused)(q('select 1'))).json).toMatchObject({
      code: '08006',
      severity: 'FATAL',
      message: expect.stringMatching(
        /^Postgres at 127\.0\.0\.1:\d+ refused the connection: password authentication failed/,
      ),
    })
    expect((await makePost(gateway, away)(q('select 1'))).json).toMatchObject({
      code: '08006',
      message: expect.stringMatching(
        new RegExp(`^Postgres at 127\\.0\\.0\\.1:${port} cannot be reached: .*ECONNREFUSED`),
      ),
    })
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(503)
    await gateway.close()
  })

  it('may end an idle session without a caller noticing', async () => {
    const gateway = await startTestGateway(postgres, { limits: { callerPoolSize: 1 } })
    const post = makePost(gateway, postgres.url())
    const pid = (await post(q('select pg_backend_pid()'))).json.rows[0][0]
    await postgres.admin.query('select pg_terminate_backend($1)', [pid])
    await expect.poll(async () => (await post(q('select 1'))).status).toBe(200)
    const next = (await post(q('select pg_backend_pid()'))).json.rows[0][0]
    expect(next).not.toBe(pid)
    await gateway.close()
  })

  it('may restart under the gateway, running batches and all', async () => {
    const gateway = await startTestGateway(postgres)
    const post = makePost(gateway, postgres.url())
    const note = mark()
    const running = post(q(`select pg_sleep(60) -- ${note}`))
    await expect.poll(() => countRunning(postgres, note)).toBe(1)
    await postgres.stop()
    expect((await running).json.code).toMatch(/^57P01|08006$/)
    expect((await post(q('select 1'))).json.code).toBe('08006')
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(503)
    await postgres.start()
    await expect.poll(async () => (await post(q('select 1'))).status).toBe(200)
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
    await gateway.close()
    await expect.poll(() => sessionsOf('app')).toBe(0)
  })
})

describe('the process', () => {
  function spawnGateway(env: Record<string, string>): ChildProcess {
    return spawn(process.execPath, [MAIN], { env: { ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
  }

  async function lines(child: ChildProcess, count: number): Promise<Record<string, unknown>[]> {
    const found: Record<string, unknown>[] = []
    if (child.stdout === null) return found
    for await (const line of createInterface(child.stdout)) {
      found.push(JSON.parse(line))
      if (found.length === count) break
    }
    return found
  }

  async function startProcess(): Promise<{ child: ChildProcess; gateway: Gateway }> {
    const child = spawnGateway({
      GATEWAY_DATABASE_URLS: `${postgres.url()}?host=${postgres.socketDir}\n${postgres.url('other')}`,
      GATEWAY_PORT: '0',
    })
    const [line] = await lines(child, 1)
    expect(line).toMatchObject({ msg: 'listening', port: expect.any(Number) })
    const port = Number(line?.port)
    return { child, gateway: { url: `http://127.0.0.1:${port}`, port, close: async () => void child.kill() } }
  }

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'finishes running batches on %s and leaves nothing behind',
    async signal => {
      const { child, gateway } = await startProcess()
      const post = makePost(gateway, postgres.url())
      expect((await makePost(gateway, postgres.url('other'))(q('select current_user'))).json.rows).toEqual([
        ['other'],
      ])
      const note = mark()
      const running = post(q(`select pg_sleep(2), 'done' -- ${note}`))
      await expect.poll(() => countRunning(postgres, note)).toBe(1)
      const exited = once(child, 'exit')
      child.kill(signal)
      expect((await running).json.rows).toEqual([['', 'done']])
      expect(await exited).toEqual([0, null])
      await expect(post(q('select 1'))).rejects.toThrow()
      await expect.poll(() => sessionsOf('app')).toBe(0)
    },
  )

  it('says in one line what is wrong with its settings', async () => {
    const child = spawnGateway({ GATEWAY_DATABASE_URLS: postgres.url(), GATEWAY_HOST: '0.0.0.0' })
    const exited = once(child, 'exit')
    const [line] = await lines(child, 1)
    expect(line?.msg).toMatch(/^GATEWAY_HOST 0\.0\.0\.0 is not loopback/)
    expect(await exited).toEqual([1, null])
  })

  it('does not wait for a connection on which nothing was asked', async () => {
    const gateway = await startTestGateway(postgres, { limits: { shutdownGraceMs: 30_000 } })
    const silent = connect(gateway.port, '127.0.0.1')
    await once(silent, 'connect')
    const left = once(silent, 'close')
    await gateway.close()
    await left
  })

  it('does not outlive its grace time', async () => {
    const gateway = await startTestGateway(postgres, { limits: { shutdownGraceMs: 50 } })
    const note = mark()
    const running = makePost(gateway, postgres.url())(q(`select pg_sleep(60) -- ${note}`))
    await expect.poll(() => countRunning(postgres, note)).toBe(1)
    await gateway.close()
    expect((await running).json).toMatchObject({
      // It has no answer to its COMMIT either.
      code: '08007',
      message: expect.stringContaining('shutting down'),
    })
  })
})
