// Signatures against examples from elsewhere and an independent implementation.

import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { messageHeaders, signingKeysOf } from '../../../src/features/webhooks/delivery/signatures.ts'
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
