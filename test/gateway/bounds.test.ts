/** Everything that a request can do too much of has a bound, and passing it never costs more than that request. */
import { request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../sql-gateway/config.ts'
import { type Gateway, type GatewayLog, startGateway } from '../../sql-gateway/server.ts'
import { ConfigError } from '../../src/lib/environment.ts'
import {
  BY_THE_GATEWAY,
  countRunning,
  makePost,
  mark,
  q,
  startPostgres,
  startTestGateway,
  type TestPostgres,
} from './support.ts'

const MEBIBYTE = 1024 * 1024

let postgres: TestPostgres
let gateway: Gateway
let post: ReturnType<typeof makePost>

beforeAll(async () => {
  postgres = await startPostgres()
  gateway = await startTestGateway(postgres, {
    limits: {
      callerPoolSize: 2,
      ownPoolSize: 2,
      requestBodyBytesMax: MEBIBYTE,
      resultBytesMax: 4 * MEBIBYTE,
    },
  })
  post = makePost(gateway, postgres.url())
}, 60_000)

afterAll(async () => {
  await gateway.close()
  await postgres.remove()
})

async function expectIntact(): Promise<void> {
  const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => post(q('select $1::int', [i]))))
  expect(answers.map(answer => answer.json.rows[0][0])).toEqual(['0', '1', '2', '3', '4', '5'])
}

describe('connection strings', () => {
  // A Unix socket often asks for no password: the gateway is the only one that checks it.
  it('refuses every string that it does not serve, without touching Postgres', async () => {
    const idle = await startTestGateway(postgres)
    const ask = makePost(idle, postgres.url())
    const sessions = async (): Promise<number> => {
      const { rows } = await postgres.admin.query(
        "select count(*)::int as n from pg_stat_activity where application_name = 'quoin-sql-gateway'",
      )
      return rows[0].n
    }
    const before = await sessions()
    const served = postgres.url()
    const wrong = [
      served.replace('APP', 'app'),
      served.replace('APP', ''),
      served.replace('//app', '//postgres'),
      served.replace(/\/app$/, '/postgres'),
      served.replace('127.0.0.1', 'localhost'),
      `${served}?options=-c%20role%3Dpostgres`,
      served.replace('postgresql:', 'http:'),
      served.replace('APP', '%'),
      'x',
      '',
    ]
    for (const connectionString of wrong) {
      const { status, json } = await ask(q('select 1'), { connectionString })
      expect({ status, code: json.code, severity: json.severity }, connectionString).toEqual({
        status: 400,
        code: '28P01',
        severity: 'FATAL',
      })
      expect(json.message).not.toContain('APP')
    }
    expect(await sessions()).toBe(before)
    for (const suffix of [
      '?application_name=x',
      '?fallback_application_name=y&application_name=z',
      '?host=%2Ftmp',
    ]) {
      expect((await ask(q('select 1'), { connectionString: served + suffix })).status).toBe(200)
    }
    await idle.close()
  })
})

describe('requests', () => {
  it.each([
    ['no JSON', '{', '22P02'],
    ['no object', '[]', '22P02'],
    ['nothing', 'null', '22P02'],
    ['no query', '{}', '22P02'],
    ['a query that is no text', '{"query":1}', '22P02'],
    ['queries that are no list', '{"queries":{}}', '22P02'],
    ['a statement that is null', '{"queries":[null]}', '22P02'],
    ['params that are no list', '{"query":"select 1","params":"x"}', '22P02'],
    ['a NUL in a query', '{"query":"select \'\\u0000\'"}', '22021'],
    ['a NUL in a parameter', '{"query":"select $1","params":["a\\u0000b"]}', '22021'],
    ['a NUL in a list', '{"query":"select $1::text[]","params":[["a\\u0000b"]]}', '22021'],
    ['half of a surrogate pair', '{"query":"select $1","params":["\\ud83d"]}', '22021'],
    ['too many parameters', JSON.stringify(q('select 1', Array(65_536).fill(null))), '54023'],
  ])('refuses %s', async (_what, body, code) => {
    const { status, json } = await post(body)
    expect({ status, code: json.code }).toEqual({ status: 400, code })
    await expectIntact()
  })

  it('refuses bytes that are no UTF-8, and a timeout that is no number', async () => {
    const headers = { 'Neon-Connection-String': postgres.url() }
    const body = Buffer.from([...Buffer.from('{"query":"'), 0xff, ...Buffer.from('"}')])
    const response = await fetch(`${gateway.url}/sql`, { method: 'POST', headers, body })
    expect(await response.json()).toMatchObject({ code: '22021' })
    for (const ms of ['0', '-1', 'x', '1.5', '600001']) {
      expect((await post(q('select 1'), { headers: { 'Quoin-Timeout-Ms': ms } })).json.code).toBe('22023')
    }
  })

  it('takes as many parameters as the protocol has room for', async () => {
    const list = Array.from({ length: 32_000 }, (_, i) => `$${i + 1}::int`).join(',')
    const { json } = await post(q(`select cardinality(array[${list}])`, Array(32_000).fill(1)))
    expect(json.rows).toEqual([['32000']])
  })

  it('refuses a body over the cap, announced or not', async () => {
    const statusOf = (headers: Record<string, string>, chunks: number): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const all = { 'Neon-Connection-String': postgres.url(), ...headers }
        const req = request(`${gateway.url}/sql`, { method: 'POST', headers: all }, res =>
          resolve(res.resume().statusCode),
        )
        req.on('error', reject)
        req.flushHeaders()
        for (let i = 0; i < chunks; i++) req.write('x'.repeat(64 * 1024))
      })
    // Refused by what it announces, before any of it came.
    expect(await statusOf({ 'Content-Length': String(MEBIBYTE + 1) }, 0)).toBe(413)
    expect(await statusOf({ 'Transfer-Encoding': 'chunked' }, 17)).toBe(413)
    expect((await post(q('select $1', ['x'.repeat(MEBIBYTE)]))).status).toBe(413)
    await expectIntact()
  })

  it('answers 404 for other paths and 405 for other methods', async () => {
    expect((await fetch(`${gateway.url}/`)).status).toBe(404)
    expect((await fetch(`${gateway.url}/sql/`, { method: 'POST', body: 'x' })).status).toBe(404)
    expect((await fetch(`${gateway.url}/sql`)).status).toBe(405)
    expect((await fetch(`${gateway.url}/healthz`, { method: 'DELETE' })).status).toBe(405)
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
  })

  it('survives bytes that are no HTTP', async () => {
    const socket = connect(gateway.port, '127.0.0.1')
    const closed = new Promise(resolve => socket.on('close', resolve))
    socket.on('error', () => undefined)
    socket.resume().write(Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919) % 256)))
    await closed
    await expectIntact()
  })
})

describe('results', () => {
  it.each(['text', 'body'])('cancels a batch whose result is over the cap (%s)', async kind => {
    const headers: Record<string, string> = kind === 'body' ? { 'Quoin-Result': 'body' } : {}
    const note = mark()
    const { status, json } = await post(
      {
        queries: [
          q('create table never (id int)'),
          q(`select repeat('x', 1000), generate_series(1, 100000000) -- ${note}`),
        ],
      },
      { headers },
    )
    expect({ status, json }).toMatchObject({
      status: 400,
      json: { code: '54000', outcome: 'undone', bytesMax: 4 * MEBIBYTE },
    })
    await expect.poll(() => countRunning(postgres, note), BY_THE_GATEWAY).toBe(0)
    expect((await post(q("select to_regclass('never')"))).json.rows).toEqual([[null]])
    await expectIntact()
  })

  it('cuts off a single value that is over the cap', async () => {
    const { json } = await post(q("select repeat('x', 50000000)"))
    expect(json.code).toBe('54000')
    await expectIntact()
  })

  it('takes a lower cap from a request, and never a higher one', async () => {
    const ask = (bytes: number, cap: number) =>
      post(q("select repeat('x', $1)", [bytes]), { headers: { 'Quoin-Result-Bytes-Max': String(cap) } })
    expect((await ask(10_000, 20_000)).status).toBe(200)
    expect((await ask(30_000, 20_000)).json).toMatchObject({
      code: '54000',
      message: 'result larger than 20000 bytes',
      bytesMax: 20_000,
    })
    expect((await ask(5 * MEBIBYTE, 8 * MEBIBYTE)).json.code).toBe('54000')
    for (const wrong of [0, 1.5, -1]) expect((await ask(1, wrong)).json.code).toBe('22023')
    await expectIntact()
  })

  it('cuts off a flood of notices', async () => {
    const flood = "do $$ begin for i in 1..20000 loop raise notice '%', repeat('x', 1000); end loop; end $$"
    expect((await post({ queries: [q(flood)] })).json.code).toBe('54000')
    await expectIntact()
  })

  it('cuts off an endless error message', async () => {
    const shout = "do $$ begin raise '%', repeat('x', 30000000); end $$"
    expect((await post({ queries: [q(shout)] })).json.code).toBe('54000')
    await expectIntact()
  })

  it('answers a cursor over a thousand million rows with flat memory', async () => {
    const before = process.memoryUsage().rss
    const { json } = await post({
      queries: [
        q('declare c no scroll cursor for select generate_series(1, 1000000000)'),
        q('fetch 11 from c'),
      ],
    })
    expect(json.results[1].rows).toHaveLength(11)
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MEBIBYTE)
  })
})

describe('time', () => {
  it('cancels a batch at its deadline', async () => {
    const note = mark()
    const { json } = await post(
      { queries: [q(`select pg_sleep(60) -- ${note}`)] },
      { headers: { 'Quoin-Timeout-Ms': '100' } },
    )
    expect(json).toMatchObject({
      code: '57014',
      message: "canceling statement due to the gateway's deadline of 100 ms",
    })
    await expect.poll(() => countRunning(postgres, note), BY_THE_GATEWAY).toBe(0)
    await expectIntact()
  })

  describe('when the statement swallows every cancel', () => {
    const swallow = (note: string): string =>
      'do $$ begin loop begin perform pg_sleep(60); exception when query_canceled then null; end; end loop; ' +
      `end $$ -- ${note}`
    const headers = { 'Quoin-Timeout-Ms': '100' }

    it('answers at the deadline, and ends the backend', async () => {
      const stubborn = await startTestGateway(postgres, { limits: { cancelGraceMs: 100 } })
      const note = mark()
      const { json } = await makePost(stubborn, postgres.url())(q(swallow(note)), { headers })
      // It may come to its end, and be committed, before its backend is gone.
      expect(json).toMatchObject({ code: '08007', outcome: 'unknown' })
      await expect.poll(() => countRunning(postgres, note), BY_THE_GATEWAY).toBe(0)
      await stubborn.close()
    })

    it('lends no connection in its place before the backend is gone', async () => {
      const stubborn = await startTestGateway(postgres, { limits: { cancelGraceMs: 100, callerPoolSize: 1 } })
      const ask = makePost(stubborn, postgres.url())
      const note = mark()
      const [swallowed, next] = await Promise.all([
        ask(q(swallow(note)), { headers }),
        ask(
          q(`select count(*) from pg_stat_activity where query like $1 and pid <> pg_backend_pid()`, [
            `%${note}`,
          ]),
        ),
      ])
      expect(swallowed.json.code).toBe('08007')
      expect(next.json.rows).toEqual([['0']])
      await stubborn.close()
    })

    it('keeps the place of a backend that it cannot end, logs that, and gives it back in the end', async () => {
      const errors: unknown[] = []
      const log: GatewayLog = {
        info: () => undefined,
        warn: () => undefined,
        error: (about: unknown) => void errors.push(about),
      }
      const stubborn = await startTestGateway(postgres, {
        limits: { cancelGraceMs: 100, callerPoolSize: 1 },
        log,
      })
      const ask = makePost(stubborn, postgres.url())
      const note = mark()
      const swallowed = ask(q(swallow(note)), { headers: { 'Quoin-Timeout-Ms': '3000' } })
      await expect.poll(() => countRunning(postgres, note)).toBe(1)
      await postgres.admin.query('alter role app connection limit 0')
      expect((await swallowed).json.code).toBe('08007')
      await expect.poll(() => errors.length).toBe(1)
      const waiting = await ask(q('select 1'), { headers: { 'Quoin-Timeout-Ms': '50' } })
      expect(waiting.json.code).toBe('53300')
      await postgres.admin.query('alter role app connection limit -1')
      await postgres.admin.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where query like $1 and pid <> pg_backend_pid()',
        [`%${note}`],
      )
      expect((await ask(q('select 1'))).json.rows).toEqual([['1']])
      await stubborn.close()
    })
  })

  it('says that the pool is exhausted when no connection frees up in time', async () => {
    const note = mark()
    const controller = new AbortController()
    const busy = [1, 2].map(() => post(q(`select pg_sleep(60) -- ${note}`), { signal: controller.signal }))
    await expect.poll(() => countRunning(postgres, note)).toBe(2)
    const { json } = await post(q('select 1'), { headers: { 'Quoin-Timeout-Ms': '50' } })
    expect(json).toMatchObject({ code: '53300', message: expect.stringContaining('pool is exhausted') })
    controller.abort()
    await Promise.allSettled(busy)
  })

  it('cancels and rolls back the batch of a request that its caller closed', async () => {
    const note = mark()
    const controller = new AbortController()
    const queries = [q('create table abandoned (id int)'), q(`select pg_sleep(60) -- ${note}`)]
    const closed = post({ queries }, { signal: controller.signal })
    await expect.poll(() => countRunning(postgres, note)).toBe(1)
    controller.abort()
    await expect(closed).rejects.toThrow()
    await expect.poll(() => countRunning(postgres, note), BY_THE_GATEWAY).toBe(0)
    expect((await post(q("select to_regclass('abandoned')"))).json.rows).toEqual([[null]])
  })
})

describe('settings', () => {
  const urls = { GATEWAY_DATABASE_URLS: 'postgresql://a:secret@h/d' }

  it('refuses wrong settings in one line without repeating a password', () => {
    const wrong: Record<string, string>[] = [
      {},
      { GATEWAY_DATABASE_URLS: 'postgresql://a:secret@/d' },
      { GATEWAY_DATABASE_URLS: 'postgresql://a@h/d' },
      { ...urls, GATEWAY_PORT: 'x' },
      { ...urls, GATEWAY_PORT: '65536' },
      { ...urls, GATEWAY_OWN_POOL_SIZE: '0' },
      { ...urls, GATEWAY_BEHIND_TLS_PROXY: 'yes' },
    ]
    for (const env of wrong) {
      expect(() => readConfig(env)).toThrow(ConfigError)
      expect(() => readConfig(env)).toThrow(/^GATEWAY_[^\n]*$/)
      expect(() => readConfig(env)).not.toThrow(/secret/)
    }
    expect(readConfig(urls)).toMatchObject({
      host: '127.0.0.1',
      port: 4488,
      entries: [{ port: 5432, tls: 'off' }],
    })
  })

  it('binds to another address than loopback only with TLS or behind a proxy that has it', async () => {
    const options = { databaseUrls: [postgres.url()], host: '0.0.0.0' }
    await expect(startGateway(options)).rejects.toThrow('GATEWAY_HOST 0.0.0.0 is not loopback')
    await expect(startGateway({ ...options, tlsCertFile: '/x' })).rejects.toThrow('must be set together')
    const open = await startGateway({ ...options, behindTlsProxy: true })
    await open.close()
  })
})
