/** WebSocket sessions: what the driver's Pool and Client need, and nothing for anybody without the password. */
import { Client, Pool } from '@neondatabase/serverless'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { Gateway } from '../../sql-gateway/server.ts'
import {
  BY_THE_GATEWAY,
  countRunning,
  makePost,
  mark,
  pointDriverAt,
  q,
  startPostgres,
  startTestGateway,
  type TestPostgres,
} from './support.ts'

let postgres: TestPostgres
let gateway: Gateway
/** Waits for a password for two seconds only: for those who never send one. */
let impatient: Gateway

beforeAll(async () => {
  postgres = await startPostgres()
  impatient = await startTestGateway(postgres, {
    limits: { tunnelAuthenticationTimeoutMs: 2_000, tunnelsMax: 30 },
  })
  gateway = await startTestGateway(postgres)
}, 60_000)

afterAll(async () => {
  await gateway.close()
  await impatient.close()
  await postgres.remove()
})

async function openClient(connectionString = postgres.url()): Promise<Client> {
  const client = new Client(connectionString)
  await client.connect()
  return client
}

/** The error by which a connection attempt ends; the driver sends its password and goes on without waiting. */
function refusalOf(connectionString: string): Promise<Error & { code?: string }> {
  return new Promise(resolve => {
    const client = new Client(connectionString)
    client.on('error', resolve)
    client.connect().catch(resolve)
  })
}

/** Opens a bare WebSocket, sends these bytes, and resolves with what came back when it closes. */
function exchange(...messages: Uint8Array[]): Promise<Buffer> {
  return exchangeWith(gateway, ...messages)
}

function exchangeWith({ port }: Gateway, ...messages: Uint8Array[]): Promise<Buffer> {
  return new Promise(resolve => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v2`)
    const received: Buffer[] = []
    socket.on('open', () => {
      for (const message of messages) socket.send(message)
    })
    socket.on('message', (data: Buffer) => received.push(data))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(Buffer.concat(received)))
  })
}

function startupPacket(code: number, parameters: Record<string, string> = {}): Buffer {
  const body = Buffer.from(
    `${Object.entries(parameters)
      .flat()
      .map(text => `${text}\0`)
      .join('')}\0`,
  )
  const head = Buffer.alloc(8)
  head.writeInt32BE(body.length + 8, 0)
  head.writeInt32BE(code, 4)
  return Buffer.concat([head, body])
}

const VERSION_3 = 196_608

describe('sessions', () => {
  it('keeps a transaction open over several queries and rolls it back', async () => {
    const pool = new Pool({ connectionString: postgres.url(), max: 2 })
    const client = await pool.connect()
    await client.query('create table ledger (id int)')
    await client.query('begin')
    await client.query('insert into ledger values ($1)', [1])
    expect((await pool.query('select * from ledger')).rows).toEqual([])
    await client.query('rollback')
    expect((await client.query('select * from ledger')).rows).toEqual([])
    client.release()
    await pool.end()
  })

  it('carries notices, notifications, errors and start-up options', async () => {
    const client = await openClient(`${postgres.url()}?application_name=tunnelled&options=-c%20geqo%3Doff`)
    const heard: string[] = []
    client.on('notice', ({ message }) => heard.push(message ?? ''))
    client.on('notification', ({ channel, payload }) => heard.push(`${channel}:${payload}`))
    await client.query("do $$ begin raise notice 'hello'; end $$")
    await client.query('listen news')
    await makePost(gateway, postgres.url())(q("select pg_notify('news', 'ü')"))
    await expect.poll(() => heard).toEqual(['hello', 'news:ü'])
    await expect(client.query('select 1 / 0')).rejects.toMatchObject({ code: '22012' })
    const { rows } = await client.query(
      "select current_setting('application_name') as name, current_setting('geqo') as geqo",
    )
    expect(rows).toEqual([{ name: 'tunnelled', geqo: 'off' }])
    await client.end()
  })

  it('carries large values both ways', async () => {
    const client = await openClient()
    const text = 'aé€🐘'.repeat(400_000)
    const { rows } = await client.query('select $1::text as text, md5($1) as sum', [text])
    expect(rows[0].text === text).toBe(true)
    const many = await client.query('select i, repeat($1, 100) as text from generate_series(1, 20000) i', [
      'x',
    ])
    expect(many.rows).toHaveLength(20_000)
    await client.end()
  })

  it('ends the Postgres session with the WebSocket, a running statement included', async () => {
    const note = mark()
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/v2`)
    const password = Buffer.from('p\0\0\0\x08APP\0', 'latin1')
    const query = Buffer.from(`Q\0\0\0\0select pg_sleep(60) -- ${note}\0`, 'latin1')
    query.writeInt32BE(query.length - 1, 1)
    socket.on('open', () =>
      socket.send(Buffer.concat([startupPacket(VERSION_3, { user: 'app' }), password, query])),
    )
    await expect.poll(() => countRunning(postgres, note)).toBe(1)
    socket.terminate()
    await expect.poll(() => countRunning(postgres, note), BY_THE_GATEWAY).toBe(0)
  })

  it('passes on a CancelRequest for its own sessions only', async () => {
    const client = await openClient()
    // The driver says that it is connected before it knows the session's key.
    await client.query('select 1')
    const note = mark()
    const { processID, secretKey } = client as unknown as { processID: number; secretKey: number }
    const sleeping = client.query(`select pg_sleep(60) -- ${note}`)
    const cancelled = expect(sleeping).rejects.toMatchObject({ code: '57014' })
    await expect.poll(() => countRunning(postgres, note)).toBe(1)
    const cancel = (pid: number, key: number): Promise<Buffer> => {
      const packet = Buffer.alloc(16)
      for (const [index, value] of [16, 80_877_102, pid, key].entries()) packet.writeInt32BE(value, index * 4)
      return exchange(packet)
    }
    await cancel(processID, secretKey ^ 1)
    await cancel(processID + 1, secretKey)
    expect(await countRunning(postgres, note)).toBe(1)
    await cancel(processID, secretKey)
    await cancelled
    await client.end()
  })
})

describe('before authentication', () => {
  it('refuses a wrong password, user or database as Postgres would', async () => {
    const served = postgres.url()
    const wrong = [
      served.replace('APP', 'WRONG'),
      served.replace('//app:APP', '//postgres:POSTGRES'),
      served.replace('//app:APP', '//postgres:APP'),
      served.replace(/app$/, 'postgres'),
    ]
    for (const connectionString of wrong) {
      expect(await refusalOf(connectionString), connectionString).toMatchObject({
        code: '28P01',
        severity: 'FATAL',
      })
    }
  })

  it('never passes bytes on before the password was right', async () => {
    const query = Buffer.from('Q\0\0\0\rselect 1\0', 'latin1')
    const answer = await exchange(startupPacket(VERSION_3, { user: 'app', database: 'app' }), query)
    expect(answer.subarray(0, 9)).toEqual(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]))
    expect(answer.toString('latin1', 9)).toMatch(/^E.*08P01.*expected password response/s)
  })

  it('answers N to a request for encryption, and refuses replication and foreign versions', async () => {
    const ssl = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
    expect(
      (await exchange(ssl, startupPacket(VERSION_3, { user: 'app', replication: 'on' }))).toString(),
    ).toMatch(/^NE.*replication/s)
    expect((await exchange(ssl, ssl, ssl)).toString()).toMatch(/^NNNE.*too many requests/s)
    expect((await exchange(startupPacket(131_072))).toString()).toMatch(/^E.*unsupported start-up/s)
    expect((await exchange(Buffer.from([0x7f, 0xff, 0xff, 0xff, 0, 3, 0, 0]))).toString()).toMatch(
      /^E.*invalid length/s,
    )
  })

  it('closes a connection that does not authenticate in time', async () => {
    expect(await exchangeWith(impatient)).toEqual(Buffer.alloc(0))
    const answer = await exchangeWith(impatient, startupPacket(VERSION_3, { user: 'app' }))
    expect(answer.toString('latin1')).toMatch(/^R/)
  })

  it('bounds how many sessions are open', async () => {
    const narrow = await startTestGateway(postgres, { limits: { tunnelsMax: 1 } })
    const first = await openClient()
    expect(await refusalOf(postgres.url())).toMatchObject({ code: '53300', severity: 'FATAL' })
    await first.end()
    await narrow.close()
    pointDriverAt(gateway)
  })

  it('refuses an upgrade on other paths', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/sql`)
    const error = await new Promise<Error>(resolve => socket.on('error', resolve))
    expect(error.message).toContain('404')
  })

  // Whatever an unauthenticated client sends, the process lives and serves the others.
  it('survives arbitrary bytes', async () => {
    const packet = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .uint8Array({ maxLength: 60 })
        .map(bytes => Buffer.concat([Buffer.from([0, 0, 0, 8 + bytes.length, 0, 3, 0, 0]), bytes])),
      fc
        .uint8Array({ maxLength: 40 })
        .map(bytes => Buffer.concat([startupPacket(VERSION_3, { user: 'app' }), bytes])),
      fc
        .uint8Array({ maxLength: 8 })
        .map(bytes => Buffer.concat([Buffer.from([0, 0, 0, 16, 4, 0xd2, 0x16, 0x2e]), bytes])),
    )
    const many = fc.array(fc.array(packet, { minLength: 1, maxLength: 3 }), { minLength: 20, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(many, async connections => {
        const answers = await Promise.all(connections.map(messages => exchangeWith(impatient, ...messages)))
        // ReadyForQuery would mean that somebody got in.
        for (const answer of answers) expect(answer.includes(Buffer.from('Z\0\0\0\x05'))).toBe(false)
      }),
      { numRuns: 6 },
    )
    pointDriverAt(impatient)
    const client = await openClient()
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await client.end()
    pointDriverAt(gateway)
  }, 60_000)
})
