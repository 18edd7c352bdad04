// From the listener's request to the receiver, on the real bundle: the ingest route, the queue and its consumer, the
// object that sends, the log. How receivers fail stands in test/contract: here Node's own `fetch` stands in between.

import { randomInt, randomUUID } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Chunk } from '../../src/features/row-changes/ingest/messages.ts'
import { deepestJson } from '../support/deep-json.ts'
import { connectOwner, type TestClient } from '../support/postgres.ts'
import { type Receiver, type Respond, startReceiver } from '../support/receiver.ts'
import {
  INGEST_PATH,
  INGEST_SECRET,
  makeChunk,
  makeWebhook,
  registryVersion,
  SECRETS_KEY,
  signedRequest,
  type TestWebhook,
  watchTable,
} from '../support/webhooks.ts'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const VARS = { INGEST_SECRET, SECRETS_KEY, ALLOW_PRIVATE_WEBHOOK_TARGETS: 'true' }
let quoin: TestWorker
let owner: TestClient

beforeAll(async () => {
  owner = await connectOwner()
  quoin = await startTestWorker({ vars: { ...VARS, INGEST_SECRET: `${INGEST_SECRET}, ${'n'.repeat(32)}` } })
})

afterAll(async () => {
  await quoin?.close()
  await owner?.query("delete from quoin.webhooks where table_name like 'elsewhere%'")
  await owner?.end()
})

async function ingest(chunks: Chunk[], worker = quoin): Promise<Response> {
  const body = { registry_version: await registryVersion(owner), messages: [{ chunks }] }
  return await worker.fetch(INGEST_PATH, await signedRequest(body))
}

async function withReceiver(
  respond: Respond | undefined,
  run: (receiver: Receiver, webhook: TestWebhook) => Promise<void>,
  settings: Parameters<typeof makeWebhook>[2] = {},
): Promise<void> {
  await using receiver = await startReceiver(respond)
  await run(receiver, await makeWebhook(owner, `${receiver.url}/hook`, settings))
}

function logsOf({ id }: TestWebhook) {
  return vi.waitFor(async () => {
    const { rows } = await owner.query(
      'select * from quoin.webhook_deliveries where webhook_id = $1 order by created_at',
      [id],
    )
    expect(rows).not.toEqual([])
    return rows
  }, 30_000)
}

describe('the ingest route', () => {
  const body = {
    registry_version: 0,
    messages: [{ chunks: [makeChunk({ id: 'x', table: 't', tableId: 1 })] }],
  }

  it('takes what the listener signed, with either secret of a rotation', async () => {
    for (const secret of [INGEST_SECRET, 'n'.repeat(32)]) {
      const response = await quoin.fetch(INGEST_PATH, await signedRequest(body, { secret }))
      expect(response.status).toBe(202)
      expect(await response.json()).toEqual({ queued: 1 })
    }
  })

  // The queue would try it again and again (test/hostile/pure has the other fields).
  it('refuses a signed chunk whose number no outbox gives out', async () => {
    const chunk = makeChunk({ id: 'x', table: 't', tableId: 1 }, { id: '9223372036854775808' })
    const response = await ingest([chunk])
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'validation_failed' }])
  })

  // Whoever could write here could send anything to every receiver, under our signature.
  it.each([
    ['nothing signed', async () => ({ method: 'POST', body: JSON.stringify(body) })],
    ['another secret', () => signedRequest(body, { secret: 'x'.repeat(40) })],
    ['an old request', () => signedRequest(body, { ageSeconds: 301 })],
    ['a request from the future', () => signedRequest(body, { ageSeconds: -400 })],
    [
      'a changed body',
      async () => ({
        ...(await signedRequest(body)),
        body: JSON.stringify({ ...body, registry_version: 1 }),
      }),
    ],
    ['a changed body that is no JSON', async () => ({ ...(await signedRequest(body)), body: '{{{' })],
    [
      'a signature in another form',
      async () => {
        const request = await signedRequest(body)
        return {
          ...request,
          headers: {
            ...request.headers,
            'x-quoin-signature': request.headers['x-quoin-signature']?.toUpperCase() ?? '',
          },
        }
      },
    ],
  ])('refuses %s, before it looks into the body', async (_, makeRequest) => {
    const response = await quoin.fetch(INGEST_PATH, await makeRequest())
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({
      code: 'invalid_ingest_signature',
      hint: expect.any(String),
    })
  })

  it('refuses a signature for another path', async () => {
    const response = await quoin.fetch(`${INGEST_PATH}?x=1`, await signedRequest(body))
    expect(response.status).toBe(401)
  })

  it('says what is wrong with a signed body', async () => {
    for (const bad of ['{{{', { registry_version: 0, messages: [] }, { ...body, registry_version: -1 }]) {
      const response = await quoin.fetch(INGEST_PATH, await signedRequest(bad))
      expect(response.status).toBe(400)
    }
  })

  it('refuses a message that the queue would not take', async () => {
    const row = JSON.stringify({ text: 'x'.repeat(130_000) })
    const changes = [{ key: '["1"]', old_key: null, row, old_row: null, error: null }]
    const [chunk] = body.messages[0]?.chunks ?? []
    const large = { ...body, messages: [{ chunks: [{ ...chunk, changes }] }] }
    const response = await quoin.fetch(INGEST_PATH, await signedRequest(large))
    expect(response.status).toBe(413)
  })

  it.each(['', 'too short', 'short,also short'])('takes nothing under the secret "%s"', async secret => {
    await using closed = await startTestWorker({ vars: { ...VARS, INGEST_SECRET: secret } })
    const response = await closed.fetch(INGEST_PATH, await signedRequest(body, { secret: secret || 'x' }))
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).not.toBeNull()
    expect(await response.json()).toMatchObject({ code: 'ingest_not_configured' })
  })
})

describe('a change', () => {
  it('reaches the receiver, verified by its own library, with every digit', async () => {
    const secret = `whsec_${Buffer.from('a secret of the receiver').toString('base64')}`
    const check = async (receiver: Receiver, webhook: TestWebhook) => {
      const id = '9223372036854775807'
      expect((await ingest([makeChunk(webhook, { id })])).status).toBe(202)
      const { body, headers } = await receiver.waitFor(() => true)
      expect(body).toBe(
        `{"event":"INSERT","schema":"public","table":"${webhook.table}",` +
          '"row":{"id":9007199254740993,"name":"one"},"old_row":null,"timestamp":"2026-01-01T00:00:00.123Z"}',
      )
      const verified = new StandardWebhook(secret).verify(body, headers as Record<string, string>)
      expect(verified).toMatchObject({ event: 'INSERT' })
      expect(headers['webhook-id']).toMatch(new RegExp(`^msg_[0-9a-f]{32}_${id}-0_\\w+$`))
      const logged = { event_id: `${id}.0`, payload: body, status_code: 200, event_type: 'INSERT' }
      expect(await logsOf(webhook)).toMatchObject([logged])
    }
    await withReceiver(undefined, check, { secret })
  })

  // Another table may have the names of one that was renamed: its rows are not for whoever watched the first.
  it('reaches the webhooks that watch its very table and list its event, and no other', async () => {
    await using receiver = await startReceiver()
    const watching = await makeWebhook(owner, `${receiver.url}/watching`, { events: ['DELETE'] })
    await owner.query(
      `insert into quoin.webhooks (name, table_schema, table_name, table_id, events, url) values
        ('another table of its names', 'public', $1, 1, '{DELETE}', $2),
        ('another event', 'public', $1, $3, '{INSERT}', $2),
        ('its former name', 'public', 'elsewhere', $3, '{DELETE}', $4)`,
      [watching.table, `${receiver.url}/other`, watching.tableId, `${receiver.url}/renamed`],
    )
    const row = '{"id":1}'
    const changes = [{ key: '["1"]', old_key: null, row, old_row: row, error: null }]
    await ingest([makeChunk(watching, { event: 'DELETE', changes })])
    for (const path of ['/watching', '/renamed']) {
      const { body } = await receiver.waitFor(request => request.path === path)
      expect(JSON.parse(body)).toMatchObject({ event: 'DELETE', row: { id: 1 }, old_row: { id: 1 } })
    }
    expect(receiver.received.some(request => request.path === '/other')).toBe(false)
  })

  it('is delivered once, however often the listener sends it', async () => {
    await withReceiver(undefined, async (receiver, webhook) => {
      const chunk = makeChunk(webhook)
      await Promise.all([ingest([chunk]), ingest([chunk]), ingest([chunk])])
      // Of one row what is older comes first, as far as it has arrived.
      await ingest([makeChunk(webhook, { event: 'UPDATE', id: String(BigInt(chunk.id) + 1n) })])
      await receiver.waitFor(({ body }) => body.includes('UPDATE'))
      expect(receiver.received.filter(({ body }) => body.includes('INSERT'))).toHaveLength(1)
    })
  })

  it('of one key comes in order, out of many messages', async () => {
    await withReceiver(undefined, async (receiver, webhook) => {
      const first = randomInt(2 ** 40, 2 ** 41)
      for (let n = 0; n < 30; n++) {
        const row = JSON.stringify({ id: 1, n })
        const changes = [{ key: '["1"]', old_key: null, row, old_row: row, error: null }]
        await ingest([makeChunk(webhook, { id: String(first + n), event: 'UPDATE', changes })])
      }
      await receiver.waitFor(({ body }) => body.includes('"n":29'))
      const numbers = receiver.received.map(({ body }) => JSON.parse(body).row.n as number)
      expect(numbers).toEqual(Array.from({ length: 30 }, (_, n) => n))
    })
  })

  it('whose image could not be made is told without it', async () => {
    await withReceiver(undefined, async (receiver, webhook) => {
      const changes = [{ key: '["1"]', old_key: null, row: null, old_row: null, error: 'division by zero' }]
      await ingest([makeChunk(webhook, { changes })])
      const { body, headers } = await receiver.waitFor(() => true)
      expect(JSON.parse(body)).toMatchObject({ row: null, old_row: null })
      expect(headers['x-quoin-payload-error']).toBe('division by zero')
    })
  })
})

describe('a row with JSON nested as deep as Postgres takes it', () => {
  it('is sent whole, alone and beside others, also one too large for a message', async () => {
    await using receiver = await startReceiver()
    const table = `elsewhere_${randomUUID().slice(0, 8)}`
    await owner.query(`create table public.${table} (id int primary key, tree json, padding text)`)
    await watchTable(owner, table, `${receiver.url}/hook`)
    const tree = await deepestJson(owner)
    const padding = 'x'.repeat(70_000)
    await owner.query(`insert into public.${table} values (0, $1, '')`, [tree])
    await owner.query(`insert into public.${table} values (1, $1, ''), (2, $1, $2)`, [tree, padding])
    for (const id of [0, 1, 2])
      expect((await receiver.waitFor(({ body }) => body.includes(`"row":{"id":${id},`))).body).toContain(tree)
    await owner.query(`drop table public.${table}`)
  })
})

describe('a receiver', () => {
  it('at a private address is not called, unless the deployment allows it', async () => {
    await withReceiver(undefined, async (receiver, webhook) => {
      await using strict = await startTestWorker({ vars: { ...VARS, ALLOW_PRIVATE_WEBHOOK_TARGETS: '' } })
      await ingest([makeChunk(webhook)], strict)
      expect(await logsOf(webhook)).toMatchObject([{ status_code: null, error: 'target_not_public' }])
      expect(receiver.received).toHaveLength(0)
    })
  })
})

describe('a table that is dropped and made again', () => {
  it('is watched again by the cron, and its changes are sent', async () => {
    await using receiver = await startReceiver()
    const table = `elsewhere_${randomUUID().slice(0, 8)}`
    const create = `create table public.${table} (id int primary key)`
    await owner.query(create)
    await watchTable(owner, table, `${receiver.url}/hook`)
    await owner.query(`insert into public.${table} values (1); drop table public.${table}; ${create}`)
    await quoin.worker.scheduled({ cron: '* * * * *' })
    await owner.query(`insert into public.${table} values (2)`)
    for (const id of [1, 2]) await receiver.waitFor(({ body }) => body.includes(`"row":{"id":${id}}`))
    await owner.query(`drop table public.${table}`)
  })
})
