// What the verbs do when something is missing or fails half-way. That they work at all is shown over HTTP in
// test/contract.

import { describe, expect, it } from 'vitest'
import type { Statement } from '../../../src/db/sql.ts'
import type { Caller } from '../../../src/features/audit/caller.ts'
import { createWebhook } from '../../../src/features/webhooks/create-webhook.ts'
import { deleteWebhook } from '../../../src/features/webhooks/delete-webhook.ts'
import type { WebhookFanout } from '../../../src/features/webhooks/delivery/fanout-contract.ts'
import { WebhookIn } from '../../../src/features/webhooks/schemas.ts'
import { headerSealName, makeSecretBox } from '../../../src/features/webhooks/secret-box.ts'
import type { TargetRefusal } from '../../../src/features/webhooks/target-guard.ts'
import { updateWebhook } from '../../../src/features/webhooks/update-webhook.ts'
import type { StoredWebhook } from '../../../src/features/webhooks/webhook-store.ts'

const ID = '00000000-0000-4000-8000-000000000001'
const CALLER: Caller = {
  actor: { kind: 'session', id: ID, name: 'a' },
  action: 'things.change',
  requestId: 'r',
  address: null,
}
const ROW: StoredWebhook = {
  id: ID,
  name: 'a webhook',
  table_id: 16_400,
  table_schema: 'public',
  table_name: 'notes',
  table_watched: true,
  events: ['INSERT'],
  url: 'https://example.com/hook',
  headers_encrypted: {},
  secret_encrypted: null,
  active: true,
  fail_count: 0,
  state: 'healthy',
  version: 3,
  created_at: '2029-01-01T00:00:00Z',
  updated_at: '2029-01-01T00:00:00Z',
}
const INPUT = WebhookIn.parse({
  name: 'a webhook',
  table_name: 'notes',
  events: ['INSERT'],
  url: 'https://example.com/hook',
})
const BOX = makeSecretBox(Buffer.alloc(32, 7).toString('base64'))

interface World {
  refusal?: TargetRefusal
  secretBox?: typeof BOX | undefined
  /** Somebody else was faster. */
  isChanged?: boolean
  fanout?: Partial<WebhookFanout>
  row?: StoredWebhook
}

/** Dependencies whose database holds one row; it notes the transactions that it is asked for. */
function makeDeps({ refusal, secretBox = BOX, isChanged = false, fanout = {}, row = ROW }: World = {}) {
  const transactions: Statement[][] = []
  const audits: (readonly (string | null)[])[] = []
  const deps = {
    targetRules: { allowPrivate: false, ownHosts: ['quoin.example.com'] },
    targetGuard: { check: async () => refusal },
    secretBox,
    platform: {
      query: async <Row>(sql: string, params: readonly (string | null)[] = []) => {
        if (sql.includes('quoin.audit_logs')) audits.push(params)
        if (sql.includes('unwatchable_reason')) return [{ table_id: 16_400, reason: null }] as Row[]
        return [row] as Row[]
      },
      transaction: async (statements: readonly Statement[]) => {
        transactions.push([...statements])
        return isChanged ? [[], []] : [[[ID]], [[JSON.stringify(row)]]]
      },
    },
    fanouts: {
      byId: () =>
        new Proxy(fanout as WebhookFanout, {
          get: (target, name: keyof WebhookFanout) =>
            target[name] ??
            (() => {
              throw new Error('the object does not answer')
            }),
        }),
    },
  }
  return { deps, transactions, audits }
}

describe('createWebhook', () => {
  it('stores a secret sealed under the id that the webhook gets', async () => {
    const { deps, transactions } = makeDeps()
    await createWebhook(deps, CALLER, { ...INPUT, secret: 'hush' })
    const params = (transactions[0]?.[0]?.params ?? []).map(String)
    expect(params).not.toContain('hush')
    const sealed = params.find(value => value.startsWith('v1.')) ?? ''
    expect(await BOX.open(params[0] ?? '', sealed)).toBe('hush')
  })

  it('refuses a secret with not_configured where nothing can keep it, and takes a webhook without one', async () => {
    const { deps, transactions } = makeDeps()
    const poor = { ...deps, secretBox: undefined }
    await expect(createWebhook(poor, CALLER, { ...INPUT, secret: 'hush' })).rejects.toMatchObject({
      code: 'not_configured',
    })
    expect(transactions).toEqual([])
    await createWebhook(poor, CALLER, INPUT)
    expect(transactions).toHaveLength(1)
  })

  it('stores each value of a header sealed under its name, and refuses it where nothing can keep it', async () => {
    const { deps, transactions } = makeDeps()
    const input = { ...INPUT, headers: { Authorization: 'Bearer hush', 'X-Source': 'quoin' } }
    await createWebhook(deps, CALLER, input)
    const params = (transactions[0]?.[0]?.params ?? []).map(String)
    expect(params.join()).not.toMatch(/hush|"quoin"/)
    const sealed = JSON.parse(params.find(value => value.startsWith('{"Authorization"')) ?? '{}')
    const id = params[0] ?? ''
    expect(await BOX.open(headerSealName(id, 'authorization'), sealed['Authorization'])).toBe('Bearer hush')
    expect(await BOX.open(headerSealName(id, 'X-Source'), sealed['X-Source'])).toBe('quoin')
    await expect(BOX.open(headerSealName(id, 'X-Source'), sealed['Authorization'])).rejects.toThrow()

    const poor = { ...deps, secretBox: undefined }
    await expect(createWebhook(poor, CALLER, input)).rejects.toMatchObject({ code: 'not_configured' })
  })

  it.each(['[secret]', ' [secret] ', 'Bearer [secret]'])(
    'refuses %j, which stands for a value that is not there',
    async mask => {
      const { deps, transactions } = makeDeps()
      await expect(createWebhook(deps, CALLER, { ...INPUT, headers: { 'X-A': mask } })).rejects.toMatchObject(
        {
          code: 'validation_failed',
          message: expect.stringMatching(/^body\.headers: .*"X-A"/),
        },
      )
      expect(transactions).toEqual([])
    },
  )

  // Whoever may make webhooks must not reach with them what only the service can reach.
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://[::ffff:10.0.0.1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://localhost:8787/',
    'https://quoin.example.com/v1/keys',
  ])('refuses %s', async url => {
    const { deps, audits } = makeDeps()
    await expect(createWebhook(deps, CALLER, { ...INPUT, url })).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringMatching(/^body\.url: /),
    })
    expect(audits).toEqual([])
  })

  it('refuses a name that resolves to a private address, and takes one that does not resolve yet', async () => {
    await expect(
      createWebhook(makeDeps({ refusal: 'target_not_public' }).deps, CALLER, INPUT),
    ).rejects.toMatchObject({ code: 'validation_failed' })
    const { deps } = makeDeps({ refusal: 'name_not_resolved' })
    expect(await createWebhook(deps, CALLER, INPUT)).toMatchObject({ id: ID })
  })
})

describe('updateWebhook', () => {
  it('touches triggers only where table or events change', async () => {
    const { deps, transactions } = makeDeps()
    await updateWebhook(deps, CALLER, ID, { active: false, events: ['INSERT'] })
    await updateWebhook(deps, CALLER, ID, { events: ['INSERT', 'DELETE'] })
    const settles = transactions.map(statements =>
      statements.filter(({ sql }) => sql.includes('apply_watch')),
    )
    expect(settles.map(statements => statements.length)).toEqual([0, 1])
  })

  it('tells the object the row, without what only people read', async () => {
    const told: unknown[] = []
    const learn = async (row: unknown) => void told.push(row)
    await updateWebhook(makeDeps({ fanout: { learn } }).deps, CALLER, ID, { active: false })
    const { name, table_watched, created_at, updated_at, ...row } = ROW
    expect(told).toEqual([row])
  })

  it('stands when the object cannot be told: it reads the row by itself', async () => {
    expect(await updateWebhook(makeDeps().deps, CALLER, ID, { active: false })).toMatchObject({ id: ID })
  })

  it('is a conflict when somebody else changed the webhook in between', async () => {
    const { deps, audits } = makeDeps({ isChanged: true })
    await expect(updateWebhook(deps, CALLER, ID, { name: 'x' })).rejects.toMatchObject({ code: 'conflict' })
    expect(audits.at(-1)).toContain('failed')
  })

  it('shows the audit log that a secret was changed, and not which', async () => {
    const { deps, audits } = makeDeps()
    await updateWebhook(deps, CALLER, ID, { secret: 'hush' })
    expect(JSON.stringify(audits)).not.toContain('hush')
    expect(JSON.stringify(audits)).toContain('[secret]')
  })
})

describe('headers, whose values nobody reads again', () => {
  const row = { ...ROW, headers_encrypted: { Authorization: 'v1.one', 'X-Source': 'v1.two' } }
  const storedBy = (transactions: readonly Statement[][]) =>
    JSON.parse(String(transactions[0]?.[0]?.params[8] ?? 'null'))

  it('answers and audits their names alone', async () => {
    const { deps, audits } = makeDeps({ row })
    const webhook = await updateWebhook(deps, CALLER, ID, { active: false })
    expect(webhook.headers).toEqual({ Authorization: '[secret]', 'X-Source': '[secret]' })
    expect(JSON.stringify([webhook, audits])).not.toContain('v1.')
  })

  it('keeps what is stored where what was read is sent back, and replaces what has a value', async () => {
    const { deps, transactions } = makeDeps({ row })
    const headers = { authorization: '[secret]', 'X-Source': 'other', 'X-New': 'new' }
    await updateWebhook(deps, CALLER, ID, { url: row.url, headers })
    const stored = storedBy(transactions)
    expect(stored).toMatchObject({ authorization: 'v1.one' })
    expect(Object.keys(stored)).toEqual(['authorization', 'X-Source', 'X-New'])
    expect(await BOX.open(headerSealName(ID, 'x-source'), stored['X-Source'])).toBe('other')
  })

  it.each([
    ['X-Renamed', '[secret]'],
    ['Authorization', 'Bearer [secret]'],
  ])('refuse a mask that stands for no stored value: %s: %s', async (name, value) => {
    const { deps, transactions } = makeDeps({ row })
    await expect(updateWebhook(deps, CALLER, ID, { headers: { [name]: value } })).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining(JSON.stringify(name)),
    })
    expect(transactions).toEqual([])
  })

  // Else one PATCH after the other would add 8 KiB, and receivers refuse what is so large.
  it('count with the length of the value that a mask stands for', async () => {
    const kept = await BOX.seal(headerSealName(ID, 'X-A'), 'a'.repeat(8_000))
    const { deps, transactions } = makeDeps({ row: { ...ROW, headers_encrypted: { 'X-A': kept } } })
    const withNew = (length: number) => ({ headers: { 'X-A': '[secret]', 'X-B': 'b'.repeat(length) } })
    await expect(updateWebhook(deps, CALLER, ID, withNew(187))).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringMatching(/^body\.headers: .*8192/),
    })
    expect(transactions).toEqual([])
    await updateWebhook(deps, CALLER, ID, withNew(186))
    expect(Object.keys(storedBy(transactions))).toEqual(['X-A', 'X-B'])
  })

  // Who may change a webhook would have its credentials sent to a receiver of their own, and read them there.
  it.each([
    ['are left out', {}],
    ['are sent back as they were read', { headers: { Authorization: '[secret]' } }],
  ])('never go to another URL when they %s', async (_, patch) => {
    const { deps, transactions, audits } = makeDeps({ row })
    await expect(
      updateWebhook(deps, CALLER, ID, { url: 'https://example.com/other', ...patch }),
    ).rejects.toMatchObject({ code: 'validation_failed', message: expect.stringMatching(/^body\.headers: /) })
    expect([transactions, audits]).toEqual([[], []])
  })

  it.each([{}, { 'X-Source': 'new' }])('go with the URL as %j', async headers => {
    const { deps, transactions } = makeDeps({ row })
    await updateWebhook(deps, CALLER, ID, { url: 'https://example.com/other', headers })
    expect(Object.keys(storedBy(transactions))).toEqual(Object.keys(headers))
  })
})

describe('deleteWebhook', () => {
  it('stands when the object cannot be told', async () => {
    const { deps, audits } = makeDeps()
    await deleteWebhook(deps, CALLER, ID)
    expect(audits.at(-1)).toContain('succeeded')
  })

  it('is a conflict when somebody else moved or deleted it in between', async () => {
    const { deps } = makeDeps({ isChanged: true })
    await expect(deleteWebhook(deps, CALLER, ID)).rejects.toMatchObject({ code: 'conflict' })
  })
})
