// PATCH of a client on the Hydra wire: JSON Patch with three operations, the secret, and the unspecific 500 that every
// fault of a patch gets.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestOAuthServer, type TestOAuthServer } from '../../../test/support/oauth-server.ts'
import { ask, textOf, UNRECOGNIZABLE } from './caller.ts'

let server: TestOAuthServer
let clients: string
beforeAll(async () => {
  server = await startTestOAuthServer()
  clients = `${server.adminUrl}/admin/clients`
})
afterAll(() => server[Symbol.asyncDispose]())

/** A client with this secret, and how to patch it. */
async function patchable(fields: Record<string, unknown> = {}) {
  const json = { client_secret: 'the-first-secret', grant_types: ['client_credentials'], ...fields }
  const { body } = await ask('POST', clients, { json })
  const url = `${clients}/${textOf(body, 'client_id')}`
  return {
    id: textOf(body, 'client_id'),
    url,
    patch: (...operations: unknown[]) => ask('PATCH', url, { json: operations }),
  }
}

const replace = (path: string, value: unknown) => ({ op: 'replace', path, value })

const canGetToken = async (id: string, secret: string) => {
  const basic = Buffer.from(`${id}:${secret}`).toString('base64')
  const { status } = await ask('POST', `${server.publicUrl}/oauth2/token`, {
    raw: 'grant_type=client_credentials',
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
  })
  return status === 200
}

describe('a patch', () => {
  it('changes what it names and leaves the rest', async () => {
    const { patch } = await patchable({ client_name: 'before', metadata: { a: 1 }, audience: ['x'] })
    expect(
      await patch(replace('/client_name', 'after'), { op: 'add', path: '/metadata/b', value: [2] }),
    ).toMatchObject({
      status: 200,
      body: { client_name: 'after', metadata: { a: 1, b: [2] }, audience: ['x'], redirect_uris: [] },
    })
  })

  it('sets a lifespan, and takes it away with null', async () => {
    const { patch } = await patchable()
    const path = '/client_credentials_grant_access_token_lifespan'
    expect((await patch(replace(path, '120s'))).body).toMatchObject({ [path.slice(1)]: '2m0s' })
    expect((await patch(replace(path, null))).body).toMatchObject({ [path.slice(1)]: null })
  })

  it('gives the secret back only when it changed, and the old one is refused from then on', async () => {
    const { id, patch } = await patchable()
    expect((await patch(replace('/owner', 'x'))).body).not.toHaveProperty('client_secret')
    expect(await canGetToken(id, 'the-first-secret')).toBe(true)
    expect((await patch(replace('/client_secret', 'the-second-secret'))).body).toMatchObject({
      client_secret: 'the-second-secret',
    })
    expect(await canGetToken(id, 'the-first-secret')).toBe(false)
    expect(await canGetToken(id, 'the-second-secret')).toBe(true)
    for (const keeping of [{ op: 'remove', path: '/client_secret' }, replace('/client_secret', '')])
      expect((await patch(keeping)).body).not.toHaveProperty('client_secret')
    expect(await canGetToken(id, 'the-second-secret')).toBe(true)
  })

  it('changes nothing at all when one of its operations fails', async () => {
    const { url, patch } = await patchable({ client_name: 'before' })
    expect(
      (await patch(replace('/client_name', 'after'), { op: 'remove', path: '/metadata/zzz' })).status,
    ).toBe(500)
    expect((await ask('GET', url)).body).toMatchObject({ client_name: 'before' })
  })

  it('is a 500 without a reason when it cannot be applied', async () => {
    const { patch } = await patchable({ contacts: ['one'] })
    for (const operation of [
      { op: 'test', path: '/client_name', value: '' },
      { op: 'move', from: '/client_name', path: '/owner' },
      { op: 'copy', from: '/client_name', path: '/owner' },
      { op: 'remove', path: '/metadata/zzz' },
      { op: 'remove', path: '/contacts/5' },
      { op: 'add', path: '/client_name' },
      { op: 'add', path: '/client_name/x', value: 1 },
      { op: 'replace', path: 'client_name', value: 'x' },
      { op: 'replace', path: '/id', value: 'x' },
      replace('/client_name', 5),
      replace('/refresh_token_grant_id_token_lifespan', 'soon'),
      'remove',
    ]) {
      expect(await patch(operation), JSON.stringify(operation)).toMatchObject({
        status: 500,
        body: UNRECOGNIZABLE,
      })
    }
  })

  it('is refused with a reason when it makes a client that may not be', async () => {
    const { patch } = await patchable()
    expect(await patch(replace('/redirect_uris', ['a#b']))).toMatchObject({
      status: 400,
      body: { error: 'invalid_redirect_uri' },
    })
    for (const [path, value] of [
      ['/logo_uri', 'javascript:alert(1)'],
      ['/client_secret', 'short'],
      ['/subject_type', 'secret'],
    ] as const)
      expect(await patch(replace(path, value))).toMatchObject({
        status: 400,
        body: { error: 'invalid_client_metadata' },
      })
  })
})
