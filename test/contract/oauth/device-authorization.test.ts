// POST /api/oauthsrv/device-authorization over HTTP, against the OAuth2 server of the stack. What odd servers' answers
// become is in test/worker/odd-upstreams.test.ts.

import { afterAll, describe, expect, it } from 'vitest'
import { DeviceAuthorization } from '../../../src/features/oauth/device/authorize-device.ts'
import { DEVICE_CODE } from '../../support/applications.ts'
import { connectOwner } from '../../support/postgres.ts'
import { call, clients, deleteMadeClients, remember } from './caller.ts'

afterAll(deleteMadeClients)

type AuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post'

async function makeDeviceClient(method: AuthMethod): Promise<{ id: string; secret: string | undefined }> {
  const answer = await clients('POST', '', {
    client_name: 'television',
    grant_types: [DEVICE_CODE],
    response_types: [],
    scope: 'openid read',
    token_endpoint_auth_method: method,
  })
  expect(answer.status, answer.text).toBe(201)
  return { id: remember(answer), secret: answer.json['client_secret'] as string | undefined }
}

const begin = (body: unknown) => call('POST', '/api/oauthsrv/device-authorization', body)

const CODES = {
  device_code: expect.any(String),
  user_code: expect.any(String),
  verification_uri: expect.any(String),
  expires_in: expect.any(Number),
}

describe('POST /api/oauthsrv/device-authorization', () => {
  it.each(['none', 'client_secret_basic', 'client_secret_post'] as const)(
    'gives a device its codes when the client authenticates by %s',
    async method => {
      const { id, secret } = await makeDeviceClient(method)
      const body = { client_id: id, scope: 'read', auth_method: method }
      const answer = await begin(method === 'none' ? body : { ...body, client_secret: secret })
      expect(answer.status, answer.text).toBe(200)
      const { status, body: said } = DeviceAuthorization.strict().parse(answer.json)
      expect([status, said]).toEqual([200, expect.objectContaining(CODES)])
    },
  )

  it('sends a secret as Basic, and none without one, where nothing else is said', async () => {
    const basic = await makeDeviceClient('client_secret_basic')
    const open = await makeDeviceClient('none')
    const answers = [
      await begin({ client_id: basic.id, client_secret: basic.secret }),
      await begin({ client_id: open.id }),
    ]
    for (const { json } of answers) expect(json).toMatchObject({ status: 200, body: CODES })
  })

  it('says what the server refuses, in its words', async () => {
    const { id, secret } = await makeDeviceClient('client_secret_basic')
    const refused = [
      await begin({ client_id: id, client_secret: 'wrong é:+%' }),
      await begin({ client_id: id, client_secret: secret, auth_method: 'client_secret_post' }),
      await begin({ client_id: id, client_secret: secret, scope: 'write' }),
      await begin({ client_id: 'nobody' }),
    ]
    expect(refused.map(({ status, json }) => [status, json['status'], json['body']])).toEqual([
      [200, 401, expect.objectContaining({ error: 'invalid_client' })],
      [200, 401, expect.objectContaining({ error: 'invalid_client' })],
      [200, 400, expect.objectContaining({ error: 'invalid_scope' })],
      [200, 401, expect.objectContaining({ error: 'invalid_client' })],
    ])
  })

  it('leaves nothing in the audit log', async () => {
    const { headers } = await begin({ client_id: 'nobody' })
    await using owner = await connectOwner()
    const { rows } = await owner.query('select id from quoin.audit_logs where request_id = $1', [
      headers.get('x-request-id'),
    ])
    expect(rows).toEqual([])
  })

  it.each([
    ['no body', undefined],
    ['no client', { scope: 'read' }],
    ['an unknown method', { client_id: 'a', client_secret: 'b', auth_method: 'private_key_jwt' }],
    ['a method without its secret', { client_id: 'a', auth_method: 'client_secret_post' }],
    ['a secret that is not to be sent', { client_id: 'a', client_secret: 'b', auth_method: 'none' }],
    ['a field that does not exist', { client_id: 'a', grant_type: 'x' }],
    ['a list of scopes', { client_id: 'a', scope: ['read'] }],
    ['a client id of 256 characters', { client_id: 'a'.repeat(256) }],
  ])('refuses %s', async (_, body) => {
    const { status, json } = await begin(body)
    expect([status, json['code']]).toEqual([400, 'validation_failed'])
  })
})
