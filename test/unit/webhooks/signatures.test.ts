// Signatures against examples from elsewhere and an independent implementation.

import { createHmac } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, it } from 'vitest'
import {
  messageHeaders,
  secretProblem,
  signingKeysOf,
} from '../../../src/features/webhooks/delivery/signatures.ts'
import { encodeUtf8 } from '../../../src/lib/utf8.ts'

async function headersFor(
  secret: string,
  body: string,
  webhookId = 'msg_1',
  timestampSeconds = 1_614_265_330,
) {
  return await messageHeaders(await signingKeysOf(secret), {
    webhookId,
    timestampSeconds,
    body: encodeUtf8(body),
  })
}

describe('Standard Webhooks', () => {
  // The example of the libraries' own tests.
  it('signs as the specification does', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const headers = await headersFor(secret, '{"test": 2432232314}', 'msg_p5jXN8AQM9LWM0D4loKWxJek')
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
    expect(headers).toMatchObject({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
    })
  })

  it.each(['plain secret', 'geheimnis ü', 'whsec_', 'whsec_not base64!', 'whsec_A'])(
    'is keyed with the bytes of a secret that is no whsec_ with base64: "%s"',
    async secret => {
      const headers = await headersFor(secret, 'body')
      const expected = createHmac('sha256', secret).update('msg_1.1614265330.body').digest('base64')
      expect(headers['webhook-signature']).toBe(`v1,${expected}`)
    },
  )
})

const KEY_24 = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

describe('a secret that is taken', () => {
  // Not one of our own signatures: what each library makes of the secret as a receiver has it.
  it.each([`whsec_${KEY_24}`, 'whsec_+/+/', 'whsec_QQ==', 'whsec_QUI='])(
    'is read by the libraries as we read it: %s',
    async secret => {
      expect(secretProblem(secret)).toBeUndefined()
      const nowSeconds = Math.floor(Date.now() / 1_000)
      const headers = await headersFor(secret, '{"a":1}', 'msg_1', nowSeconds)
      expect(new StandardWebhook(secret).verify('{"a":1}', headers)).toEqual({ a: 1 })
      expect(() => new SvixWebhook(secret).verify('{"a":1}', headers)).not.toThrow()
    },
  )

  it.each(['plain secret', 'geheimnis ü', KEY_24, 'a'])('may be text of the user: %s', async secret => {
    expect(secretProblem(secret)).toBeUndefined()
    const nowSeconds = Math.floor(Date.now() / 1_000)
    const headers = await headersFor(secret, '{"a":1}', 'msg_1', nowSeconds)
    const raw = new StandardWebhook(Buffer.from(secret), { format: 'raw' })
    expect(raw.verify('{"a":1}', headers)).toEqual({ a: 1 })
  })
})

it.each([
  ['a final newline', `whsec_${KEY_24}\n`, 'begin or end'],
  ['a final newline behind text', 'plain secret\n', 'begin or end'],
  ['a final return', 'plain secret\r\n', 'begin or end'],
  ['a blank before it', ` whsec_${KEY_24}`, 'begin or end'],
  ['a no-break space behind it', 'plain\u00a0', 'begin or end'],
  ['a byte order mark before it', '\ufeffplain', 'begin or end'],
  ['a line break within', 'plain\nsecret', 'control characters'],
  ['a line break within base64', `whsec_${KEY_24.slice(0, 16)}\n${KEY_24.slice(16)}`, 'control characters'],
  ['the alphabet of URLs', 'whsec_-_-_', 'base64'],
  ['no padding', 'whsec_QQ', 'base64'],
  ['half the padding', 'whsec_QQ=', 'base64'],
  ['too much padding', 'whsec_QUI==', 'base64'],
  ['padding alone', 'whsec_====', 'base64'],
  ['bits behind its end', 'whsec_QR==', 'base64'],
  ['no base64', 'whsec_not base64!', 'base64'],
  ['nothing behind the prefix', 'whsec_', 'base64'],
  ['the prefix twice', `whsec_whsec_${KEY_24}`, 'base64'],
  ['the prefix in capitals', `WHSEC_${KEY_24}`, 'begin with'],
  ['the prefix of signatures before it', `v1,whsec_${KEY_24}`, 'begin with'],
  ['quotes around it', `"whsec_${KEY_24}"`, 'begin with'],
  ['the name of its variable', `WEBHOOK_SECRET=whsec_${KEY_24}`, 'begin with'],
  ['a key for other signatures', `whsk_${KEY_24}`, 'asymmetric'],
  ['the other half of such a key', `whpk_${KEY_24}`, 'asymmetric'],
])('a secret with %s is refused', (_, secret, words) => {
  expect(secretProblem(secret)).toContain(words)
})

it('X-Service-Signature is keyed with the whole secret, prefix included', async () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const headers = await headersFor(secret, '{"ü":"€"}')
  expect(headers['x-service-signature']).toBe(createHmac('sha256', secret).update('{"ü":"€"}').digest('hex'))
})

it('has no signature without a secret, but an id and a time', async () => {
  const message = { webhookId: 'msg_1', timestampSeconds: 5, body: encodeUtf8('x') }
  expect(await messageHeaders(undefined, message)).toEqual({
    'webhook-id': 'msg_1',
    'webhook-timestamp': '5',
  })
})
