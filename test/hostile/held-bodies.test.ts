// The attack: send the headers and half of a body, wait until the key or the session is taken away, then send the rest.
// The rights of the moment of admission must not outlive it.

import { request } from 'node:http'
import { describe, expect, inject, it } from 'vitest'
import { asAdmin } from '../contract/dashboard/caller.ts'
import { makeKey } from '../support/keys.ts'
import { connectOwner } from '../support/postgres.ts'

const { base_url: url } = inject('stack')

/** A call whose body comes in two halves. */
class HeldCall {
  readonly #request: ReturnType<typeof request>
  readonly answer: Promise<{ status: number; text: string }>

  constructor(method: string, path: string, headers: Record<string, string>) {
    this.#request = request(url + path, {
      method,
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked', ...headers },
    })
    this.answer = new Promise((resolve, reject) => {
      this.#request.on('error', reject)
      this.#request.on('response', response => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', part => {
          text += part
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      })
    })
  }

  send(half: string): void {
    this.#request.write(half)
  }

  /** Over a second later than it is called: so long a caller is trusted who was let in just before. */
  async end(half: string) {
    const calledAt = performance.now()
    await expect.poll(() => performance.now() - calledAt).toBeGreaterThan(1_200)
    this.#request.end(half)
    return await this.answer
  }
}

async function withKey(method: string, path: string, key: string, body?: unknown): Promise<number> {
  const response = await fetch(url + path, {
    method,
    headers: { apikey: key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  await response.body?.cancel()
  return response.status
}

describe('a request whose body is held open', () => {
  it('makes no key once its own key is revoked', async () => {
    const { key, id } = await makeKey('service_role')
    const held = new HeldCall('POST', '/v1/keys', { apikey: key })
    held.send('{"name":"held",')
    await expect.poll(() => withKey('GET', '/v1/modules', key)).toBe(200)
    expect((await asAdmin('DELETE', `/api/keys/${id}`)).status).toBe(200)
    expect(await held.end('"role":"service_role"}')).toMatchObject({ status: 401 })
  })

  it('does not take a rotation over', async () => {
    const { key, id } = await makeKey('service_role')
    const held = new HeldCall('POST', `/v1/keys/${id}/rotate`, { apikey: key })
    held.send('{"overlap_seconds":')
    await expect.poll(() => withKey('GET', '/v1/modules', key)).toBe(200)
    const rotated = await asAdmin('POST', `/api/keys/${id}/rotate`, { body: {} })
    expect(await held.end('0}')).toMatchObject({ status: 401 })
    expect(await withKey('GET', '/v1/modules', rotated.json.key)).toBe(200)
  })

  it('neither runs SQL nor resumes a project once that is paused', async () => {
    const projectId = await newProject()
    const { key } = await makeKey('service_role', { projectId })
    const calls = [
      new HeldCall('POST', '/v1/sql', { apikey: key }),
      new HeldCall('PATCH', `/v1/projects/${projectId}`, { apikey: key }),
    ] as const
    calls[0].send('{"sql":')
    calls[1].send('{"status":')
    await expect.poll(() => withKey('GET', '/v1/modules', key)).toBe(200)
    expect(
      (await asAdmin('PATCH', `/api/projects/${projectId}`, { body: { status: 'paused' } })).status,
    ).toBe(200)
    expect(await calls[0].end('"select 1"}')).toMatchObject({ status: 403 })
    expect(await calls[1].end('"active"}')).toMatchObject({ status: 403 })
  })

  it('makes no key once the project of its replaced key is paused', async () => {
    const projectId = await newProject()
    const { key, id } = await makeKey('service_role', { projectId })
    const body = { overlap_seconds: 3_600 }
    expect((await asAdmin('POST', `/api/keys/${id}/rotate`, { body })).status).toBe(200)
    const held = new HeldCall('POST', '/v1/keys', { apikey: key })
    held.send('{"name":"held",')
    await expect.poll(() => withKey('GET', '/v1/modules', key)).toBe(200)
    const pause = { body: { status: 'paused' } }
    expect((await asAdmin('PATCH', `/api/projects/${projectId}`, pause)).status).toBe(200)
    expect(await held.end('"role":"service_role"}')).toMatchObject({ status: 403 })
  })

  it('goes on where nothing was taken away', async () => {
    const { key } = await makeKey('service_role')
    const held = new HeldCall('POST', '/v1/sql', { apikey: key })
    held.send('{"sql":')
    expect(await held.end('"select 1 as one"}')).toMatchObject({ status: 200 })
  })
})

// The attack: many calls of a key that resume its project, while an administrator pauses it.
it('stays paused however its keys call', async () => {
  const projectId = await newProject()
  const { key } = await makeKey('service_role', { projectId, rateLimitPerMinute: 100_000 })
  let isOver = false
  const flood = async () => {
    while (!isOver) await withKey('PATCH', `/v1/projects/${projectId}`, key, { status: 'active' })
  }
  const floods = Array.from({ length: 4 }, flood)
  const pause = () => asAdmin('PATCH', `/api/projects/${projectId}`, { body: { status: 'paused' } })
  await expect.poll(async () => (await pause()).status).toBe(200)
  await expect.poll(() => withKey('GET', '/v1/modules', key)).toBe(403)
  isOver = true
  await Promise.all(floods)
  expect((await asAdmin('GET', `/api/projects/${projectId}`)).json.status).toBe('paused')
})

async function newProject(): Promise<string> {
  await using owner = await connectOwner()
  const { rows } = await owner.query("insert into quoin.projects (name) values ('held') returning id")
  return rows[0].id
}
