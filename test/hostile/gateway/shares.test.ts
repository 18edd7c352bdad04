/** One caller, or one key, cannot take everything that the gateway has: connections, the line for them, bytes. */
import { once } from 'node:events'
import { request } from 'node:http'
import { Client } from '@neondatabase/serverless'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { GatewayLimits } from '../../../sql-gateway/config.ts'
import type { Gateway } from '../../../sql-gateway/server.ts'
import {
  countRunning,
  makePost,
  mark,
  q,
  startPostgres,
  startTestGateway,
  type TestPostgres,
} from '../../gateway/support.ts'

const MEBIBYTE = 1024 * 1024

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startPostgres()
}, 60_000)

afterAll(() => postgres.remove())

/** Runs `work` against a gateway of its own, and ends what is still asked of it. */
async function withGateway(
  limits: Partial<GatewayLimits>,
  work: (ask: ReturnType<typeof asker>, gateway: Gateway) => Promise<void>,
): Promise<void> {
  const gateway = await startTestGateway(postgres, { limits })
  const controller = new AbortController()
  try {
    await work(asker(gateway, controller.signal), gateway)
  } finally {
    controller.abort()
    await gateway.close()
  }
}

function asker(gateway: Gateway, signal: AbortSignal) {
  const post = makePost(gateway, postgres.url())
  return (caller: string, sql: string, headers: Record<string, string> = {}) => {
    // Only a batch has a transaction that can be read-only.
    const body = 'Neon-Batch-Read-Only' in headers ? { queries: [q(sql)] } : q(sql)
    const answer = post(body, { headers: { 'Quoin-Caller': caller, ...headers }, signal })
    answer.catch(() => undefined)
    return answer
  }
}

describe.each(['caller', 'own'])("the pool of the %s's statements", pool => {
  const headers: Record<string, string> = pool === 'own' ? { 'Quoin-Statements': 'own' } : {}
  const limits = { callerPoolSize: 9, ownPoolSize: 9 }

  // The attack: one public key sends slow filters, as many as it may.
  it('lends one caller a third of its connections, and the others go on', async () => {
    await withGateway(limits, async ask => {
      const note = mark()
      for (let i = 0; i < 20; i++) ask('anon/192.0.2.1', `select pg_sleep(60) -- ${note}`, headers)
      await expect.poll(() => countRunning(postgres, note)).toBe(3)
      for (const other of ['anon/192.0.2.2', 'anon/192.0.2.3', 'service/192.0.2.1']) {
        expect((await ask(other, 'select 1', headers)).json.rows).toEqual([['1']])
      }
      expect(await countRunning(postgres, note)).toBe(3)
    })
  })

  it('lends one key three quarters of its connections, from however many addresses', async () => {
    await withGateway(limits, async ask => {
      const note = mark()
      for (let i = 0; i < 20; i++) ask(`anon/192.0.2.${i}`, `select pg_sleep(60) -- ${note}`, headers)
      await expect.poll(() => countRunning(postgres, note)).toBe(6)
      expect((await ask('other/192.0.2.1', 'select 1', headers)).json.rows).toEqual([['1']])
      expect(await countRunning(postgres, note)).toBe(6)
    })
  })

  it('tells a caller whose share is taken that it is so', async () => {
    await withGateway(limits, async ask => {
      const note = mark()
      for (let i = 0; i < 3; i++) ask('anon/a', `select pg_sleep(60) -- ${note}`, headers)
      await expect.poll(() => countRunning(postgres, note)).toBe(3)
      const { json } = await ask('anon/a', 'select 1', { ...headers, 'Quoin-Timeout-Ms': '50' })
      expect(json).toMatchObject({ code: '53400', detail: expect.stringContaining('may hold 3') })
    })
  })

  it('keeps places in its line for the others', async () => {
    await withGateway({ ...limits, waitersMax: 30 }, async ask => {
      const note = mark()
      const asked = Array.from({ length: 40 }, () => ask('anon/a', `select pg_sleep(60) -- ${note}`, headers))
      // Three run, ten wait, the others are told.
      const refused = await Promise.race(asked)
      expect(refused.json.code).toBe('53400')
      expect((await ask('anon/b', 'select 1', headers)).json.rows).toEqual([['1']])
    })
  })
})

// The attack: a reset that waits for a lock, behind a batch that was cancelled. Each left a backend that nobody
// counted.
it('opens no connection in place of one whose reset still waits', async () => {
  await withGateway({ callerPoolSize: 1 }, async ask => {
    await ask('setup/a', 'create table held (id int)')
    const holder = new pg.Client(postgres.url())
    await holder.connect()
    await holder.query('begin; lock table held in access share mode')
    const { json } = await ask(
      'service/a',
      `do $$ begin
        create function pg_temp.f() returns trigger language plpgsql as 'begin return new; end';
        create trigger t after insert on held for each row execute function pg_temp.f();
        begin perform pg_sleep(60); exception when query_canceled then null; end;
      end $$`,
      { 'Quoin-Timeout-Ms': '300' },
    )
    expect(json).toMatchObject({ command: 'DO' })
    const next = () => ask('other/a', 'select 1', { 'Quoin-Timeout-Ms': '500' })
    expect((await next()).json.code).toBe('53300')
    await holder.end()
    await expect.poll(async () => (await next()).status).toBe(200)
  })
})

describe('the bytes that the gateway holds', () => {
  /** A request whose answer nobody reads a byte of. */
  async function neverRead(gateway: Gateway, caller: string, sql: string): Promise<void> {
    const headers = { 'Neon-Connection-String': postgres.url(), 'Quoin-Caller': caller }
    const req = request(`${gateway.url}/sql`, { method: 'POST', headers })
    req.on('error', () => undefined)
    req.end(JSON.stringify(q(sql)))
    const [response] = await once(req, 'response')
    response.on('error', () => undefined).pause()
  }
  const large = "select repeat('x', 20000000)"
  /** Of what may have changed something it is said whether it was committed. */
  const reading = { 'Quoin-Statements': 'own', 'Neon-Batch-Read-Only': 'true' }

  // The attack: thirty readers of a large answer that never read it.
  it('are shared, and the others get their answers', async () => {
    await withGateway({ heldBytesMax: 90 * MEBIBYTE }, async (ask, gateway) => {
      await neverRead(gateway, 'anon/a', large)
      for (let i = 0; i < 3; i++) {
        expect((await ask('anon/a', large, reading)).json).toMatchObject({ code: '53400' })
      }
      expect((await ask('anon/b', large)).status).toBe(200)
      expect((await ask('anon/a', 'select 1')).status).toBe(200)
    })
  })

  it('are bounded over all callers', async () => {
    await withGateway({ heldBytesMax: 64 * MEBIBYTE }, async (ask, gateway) => {
      for (const caller of ['one/a', 'two/a', 'three/a']) await neverRead(gateway, caller, large)
      expect((await ask('four/a', large, reading)).json).toMatchObject({ code: '53300' })
      expect((await ask('four/a', 'select 1')).status).toBe(200)
    })
  })

  it('are given back when an answer was read, failed, or nobody takes it', async () => {
    await withGateway({ heldBytesMax: 64 * MEBIBYTE, answerStallMs: 1_000 }, async (ask, gateway) => {
      await neverRead(gateway, 'anon/a', large)
      expect((await ask('anon/a', large, reading)).json.code).toBe('53400')
      await expect.poll(async () => (await ask('anon/a', large, reading)).status).toBe(200)
      for (let i = 0; i < 3; i++) {
        expect((await ask('anon/a', `${large} || 1 / 0`)).json.code).toBe('22012')
        expect((await ask('anon/a', large, reading)).status).toBe(200)
      }
    })
  })

  // The attack: readers that hang up while their rows come. Each left bytes counted for ever.
  it('are given back when a caller goes away', async () => {
    await withGateway({ heldBytesMax: 64 * MEBIBYTE }, async (ask, gateway) => {
      const post = makePost(gateway, postgres.url())
      for (let i = 0; i < 20; i++) {
        const controller = new AbortController()
        const headers = { 'Quoin-Caller': 'anon/a' }
        const note = mark()
        const rows = `select repeat('x', 1000), pg_sleep(0.0001) from generate_series(1, 18000) -- ${note}`
        const answer = post(q(rows), { headers, signal: controller.signal })
        await expect.poll(() => countRunning(postgres, note)).toBe(1)
        controller.abort()
        await expect(answer).rejects.toThrow()
      }
      await expect.poll(async () => (await ask('anon/a', large, reading)).status).toBe(200)
    })
  })

  // The attack on oneself: whoever is told to try again makes the change twice.
  it('that are too many for a committed answer say that it was committed', async () => {
    await withGateway({ heldBytesMax: 60 * MEBIBYTE }, async (ask, gateway) => {
      await neverRead(gateway, 'anon/a', large)
      for (const headers of [{}, { 'Quoin-Statements': 'own' }]) {
        const name = mark()
        expect((await ask('anon/b', `create table ${name} (id int)`)).status).toBe(200)
        const insert = `insert into ${name} values (1) returning repeat('x', 2000000)`
        const post = makePost(gateway, postgres.url())
        const { json } = await post(
          { queries: [q(insert)] },
          { headers: { 'Quoin-Caller': 'anon/a', ...headers } },
        )
        const { rows } = (await ask('anon/b', `select count(*) from ${name}`)).json
        const isCommitted = rows[0][0] === '1'
        expect([json.code, json.outcome]).toEqual(isCommitted ? ['54000', 'committed'] : ['53400', 'undone'])
      }
    })
  })

  it('are those of requests too', async () => {
    await withGateway({ heldBytesMax: 30 * MEBIBYTE, callerPoolSize: 9 }, async ask => {
      const note = mark()
      const body = 'x'.repeat(8 * MEBIBYTE)
      ask('anon/a', `select pg_sleep(60) -- ${note}${body}`)
      await expect.poll(() => countRunning(postgres, note)).toBe(1)
      expect((await ask('anon/a', `select 1 -- ${body}`)).json.code).toBe('53400')
      expect((await ask('anon/b', `select 1 -- ${body}`)).json.rows).toEqual([['1']])
    })
  })
})

describe('WebSockets', () => {
  // The attack: idle sockets without a password take every place until their time is up.
  it('that show no password take no place of a session', async () => {
    await withGateway({ tunnelsMax: 2 }, async (_ask, gateway) => {
      const idle = Array.from({ length: 150 }, () => new WebSocket(`ws://127.0.0.1:${gateway.port}/v2`))
      for (const socket of idle) socket.on('error', () => undefined)
      await Promise.all(idle.map(socket => once(socket, 'open')))
      const client = new Client(postgres.url())
      await client.connect()
      expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
      await client.end()
      for (const socket of idle) socket.terminate()
    })
  })
})

describe('a connection that is lost under a batch', () => {
  // Postgres may have committed by the time that it hears that the session is to end.
  it('and ends at COMMIT is told as a batch that may have been committed', async () => {
    await withGateway({}, async ask => {
      await ask('anon/a', 'create table at_commit (id int)')
    })
    // COMMIT waits for a standby that never comes, with the transaction on disk.
    await postgres.admin.query("alter system set synchronous_standby_names = 'nobody'")
    await postgres.admin.query('select pg_reload_conf()')
    const WAITING = "wait_event = 'SyncRep' and pid <> pg_backend_pid()"
    try {
      await withGateway({}, async (_ask, gateway) => {
        const post = makePost(gateway, postgres.url('app'))
        const count = `select count(*)::int as n from pg_stat_activity where ${WAITING}`
        const waiting = async () => (await postgres.admin.query(count)).rows[0].n
        const end = () =>
          postgres.admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${WAITING}`)
        // Sessions hear of the setting from the checkpointer, in its own time: at the first commit that waits.
        const probe = async () => {
          void post(q('insert into at_commit values (0)'))
          return waiting()
        }
        await expect.poll(probe).not.toBe(0)
        await expect.poll(async () => (await end()).rowCount).toBe(0)
        for (const body of [
          { queries: [q('insert into at_commit values (1)')] },
          q('insert into at_commit values (1)'),
        ]) {
          const answer = post(body)
          await expect.poll(waiting).toBe(1)
          await end()
          expect((await answer).json).toMatchObject({ code: '08007', outcome: 'unknown' })
        }
        const ended = await post(q('select pg_terminate_backend(pg_backend_pid())'))
        expect(ended.json).toMatchObject({ code: '57P01', outcome: 'undone' })
      })
    } finally {
      await postgres.admin.query('alter system reset synchronous_standby_names')
      await postgres.admin.query('select pg_reload_conf()')
    }
    await withGateway({}, async ask => {
      expect((await ask('anon/a', 'select count(*) from at_commit where id = 1')).json.rows).toEqual([['2']])
    })
  })

  it('is told apart by whether the batch may have been committed', async () => {
    await withGateway({ shutdownGraceMs: 50 }, async (ask, gateway) => {
      const note = mark()
      const sleep = `select pg_sleep(60) -- ${note}`
      const readOnly = { 'Quoin-Statements': 'own', 'Neon-Batch-Read-Only': 'true' }
      const answers = [ask('anon/a', sleep), ask('anon/a', sleep, readOnly)]
      await expect.poll(() => countRunning(postgres, note)).toBe(2)
      await gateway.close()
      const errors = (await Promise.all(answers)).map(({ json }) => [json.code, json.outcome])
      expect(errors).toEqual([
        ['08007', 'unknown'],
        ['08006', 'undone'],
      ])
    })
  })
})
