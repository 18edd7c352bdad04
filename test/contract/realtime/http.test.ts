// What of realtime is HTTP: broadcasts of whoever has no socket, tickets, how it does, and what ends a socket.

import { randomUUID } from 'node:crypto'
import { RealtimeClient } from '@supabase/supabase-js'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import type { StoredApiKey } from '../../../cli/support/api-key.ts'
import { RealtimeState } from '../../../src/features/realtime/realtime-state.ts'
import { signInAsBrowser } from '../../../stand-ins/identity-server/seeds.ts'
import { makePerson } from '../../support/applications.ts'
import { makeKey } from '../../support/keys.ts'
import { connectOwner } from '../../support/postgres.ts'
import { asAdmin, auditLogs, memberOutcome } from '../dashboard/caller.ts'
import { callWith, openSocket, refusalOf } from './caller.ts'

const { base_url: baseUrl } = inject('stack')
/** Of topics that the policies of this file are about. */
const ours = `http-${randomUUID().slice(0, 8)}`
const BIG = '{"id":9007199254740993,"amount":1.10}'

interface Project {
  readonly id: string
  readonly anon: StoredApiKey
  readonly service: StoredApiKey
}
let project: Project

async function makeProject(): Promise<Project> {
  const { json } = await asAdmin('POST', '/api/projects', { body: { name: `realtime ${randomUUID()}` } })
  const roomy = { projectId: json.id, rateLimitPerMinute: 100_000 }
  const [anon, service] = await Promise.all([makeKey('anon', roomy), makeKey('service_role', roomy)])
  return { id: json.id, anon, service }
}

const socketOf = ({ key }: StoredApiKey) => openSocket(`/realtime/v1/websocket?apikey=${key}&vsn=2.0.0`)
const ticketPath = (ticket: string, id: string) =>
  `/api/realtime/websocket?apikey=${ticket}&project_id=${id}&vsn=2.0.0`
const newTopic = () => `${ours}:${randomUUID()}`
const messages = (...list: object[]) => ({ messages: list })

beforeAll(async () => {
  project = await makeProject()
  await using owner = await connectOwner()
  await owner.query(`
    create policy "${ours} read" on realtime.messages for select to anon
      using (realtime.topic() like '${ours}:%');
    create policy "${ours} write" on realtime.messages for insert to anon
      with check (realtime.topic() like '${ours}:%:open')`)

  return async () => {
    await using cleaner = await connectOwner()
    await cleaner.query(`drop policy "${ours} read" on realtime.messages;
      drop policy "${ours} write" on realtime.messages`)
  }
})

describe('a broadcast over HTTP', () => {
  it.each(['/realtime/v1/api/broadcast', '/v1/realtime/broadcast'])(
    'is heard by all who joined the topic, digit by digit: %s',
    async path => {
      const topic = newTopic()
      await using socket = await socketOf(project.anon)
      await socket.join(topic)
      const body = `{"messages":[{"topic":"${topic}","event":"e","payload":${BIG}}]}`
      expect(await callWith(project.anon.key, 'POST', path, body)).toEqual({ status: 202, text: '' })
      expect(await socket.broadcast('e')).toBe(BIG)
    },
  )

  it('is sent by httpSend of realtime-js, as JSON and as bytes, to a topic with odd characters', async () => {
    const topic = `${newTopic()}/ü %&`
    const client = new RealtimeClient(`${baseUrl.replace(/^http/, 'ws')}/realtime/v1`, {
      params: { apikey: project.anon.key },
    })
    await using socket = await socketOf(project.anon)
    await socket.join(topic)
    const channel = client.channel(topic)
    expect(await channel.httpSend('js on/', { n: 1 })).toEqual({ success: true })
    expect(await socket.broadcast('js on/')).toBe('{"n":1}')
    expect(await channel.httpSend('bytes', new Uint8Array([0, 255, 7]))).toEqual({ success: true })
    expect(await socket.broadcast('bytes')).toEqual(new Uint8Array([0, 255, 7]))
    // Before the channel has joined.
    expect(await channel.send({ type: 'broadcast', event: 'rest', payload: { n: 2 } })).toBe('ok')
    expect(await socket.broadcast('rest')).toBe('{"n":2}')
  })

  it('reaches private channels alone, where a policy lets the caller write them', async () => {
    const topic = `${newTopic()}:open`
    await using inside = await socketOf(project.anon)
    await using outside = await socketOf(project.anon)
    expect(await inside.join(topic, { private: true })).toMatchObject({ status: 'ok' })
    await outside.join(topic)
    const send = (isPrivate: boolean, event: string) =>
      callWith(
        project.anon.key,
        'POST',
        `/realtime/v1/api/broadcast/${encodeURIComponent(topic)}/events/${event}?private=${isPrivate}`,
        { event },
      )
    expect([await send(true, 'hidden'), await send(false, 'seen')].map(({ status }) => status)).toEqual([
      202, 202,
    ])
    expect(await inside.broadcast('hidden')).toBe('{"event":"hidden"}')
    expect(await outside.broadcast('seen')).toBe('{"event":"seen"}')
    expect([inside, outside].map(({ heard }) => heard.filter(one => one[3] === 'broadcast').length)).toEqual([
      1, 1,
    ])
  })

  it('is refused whole where one of its topics may not be written', async () => {
    const [open, closed] = [`${newTopic()}:open`, newTopic()]
    await using socket = await socketOf(project.anon)
    await socket.join(open, { private: true })
    const message = { event: 'e', payload: {}, private: true }
    const body = messages({ ...message, topic: open }, { ...message, topic: closed })
    const refused = await callWith(project.anon.key, 'POST', '/realtime/v1/api/broadcast', body)
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
      403,
      { code: 'unauthorized_topic', message: expect.stringContaining(closed), hint: expect.any(String) },
    ])
    await callWith(
      project.service.key,
      'POST',
      '/v1/realtime/broadcast',
      messages({ ...message, topic: open, event: 'after' }),
    )
    await socket.broadcast('after')
    expect(socket.heard.filter(one => one[3] === 'broadcast')).toHaveLength(1)
  })

  const message = { topic: 't', event: 'e', payload: {} }
  it.each([
    ['no body', undefined, 400],
    ['no messages', { messages: [] }, 400],
    ['no payload', messages({ topic: 't', event: 'e' }), 400],
    ['a payload of null', messages({ ...message, payload: null }), 400],
    ['an empty topic', messages({ ...message, topic: '' }), 400],
    ['a topic of 300 bytes', messages({ ...message, topic: 'x'.repeat(300) }), 400],
    ['an event of 256 bytes', messages({ ...message, event: 'x'.repeat(256) }), 400],
    ['a field of nobody', messages({ ...message, extra: 1 }), 400],
    ['a payload that is too large', messages({ ...message, payload: { x: 'x'.repeat(262_140) } }), 400],
    ['more messages than the key may send', messages(...Array.from({ length: 101 }, () => message)), 429],
  ])('is refused with %s', async (_, body, status) => {
    expect((await callWith(project.service.key, 'POST', '/v1/realtime/broadcast', body)).status).toBe(status)
  })

  it.each([
    ['text', 'text/plain', '{}', 415],
    ['what is no JSON', 'application/json', '{"a":', 400],
    ['JSON with a part behind it', 'application/json', '{} {}', 400],
    ['JSON that is nested too deep', 'application/json', '['.repeat(300) + ']'.repeat(300), 400],
  ])('in its path form is refused with %s', async (_, type, body, status) => {
    const path = '/realtime/v1/api/broadcast/t/events/e'
    const headers = { 'content-type': type }
    const refused = await callWith(project.anon.key, 'POST', path, body, headers)
    expect(refused.status).toBe(status)
    const { error, message: said, code } = JSON.parse(refused.text)
    expect([error, code]).toEqual([said, expect.any(String)])
  })

  it('does not seem to store what it does not', async () => {
    const path = '/realtime/v1/api/broadcast/t/events/e?private=true&persist=true'
    expect((await callWith(project.anon.key, 'POST', path, {})).status).toBe(422)
  })

  it('reaches the sockets of its own project alone', async () => {
    const [topic, other] = [newTopic(), await makeProject()]
    await using socket = await socketOf(project.anon)
    await socket.join(topic)
    const send = (key: string, event: string) =>
      callWith(key, 'POST', '/v1/realtime/broadcast', messages({ topic, event, payload: {} }))
    expect((await send(other.service.key, 'foreign')).status).toBe(202)
    await send(project.service.key, 'own')
    await socket.broadcast('own')
    expect(socket.heard.filter(one => one[3] === 'broadcast')).toHaveLength(1)
  })
})

describe('a ticket', () => {
  const issue = async (id = project.id) =>
    (await asAdmin('POST', '/api/realtime/ticket', { body: { project_id: id } })).json
  const at = (ticket: string, id = project.id) => ticketPath(ticket, id)

  it('opens one socket as service_role, and is in no log', async () => {
    const { ticket, expires_at } = await issue()
    expect(Date.parse(expires_at)).toBeLessThanOrEqual(Date.now() + 30_000)
    await using socket = await openSocket(at(ticket))
    // No policy lets anybody read this topic.
    expect(await socket.join(randomUUID(), { private: true })).toMatchObject({ status: 'ok' })
    expect(await refusalOf(at(ticket))).toMatchObject({ status: 401, json: { code: 'session_required' } })
    const entries = await auditLogs({
      target_kind: 'project',
      target_id: project.id,
      action: 'realtime.issue_ticket',
    })
    expect(entries[0]).toMatchObject({ actor_kind: 'session', outcome: 'succeeded' })
    expect(JSON.stringify(entries)).not.toContain(ticket)
  })

  it('opens none of another project, none that does not exist, and none by a cookie', async () => {
    const { ticket } = await issue()
    const other = await makeProject()
    expect(await refusalOf(at(ticket, other.id))).toMatchObject({ status: 401 })
    expect(await refusalOf(at(ticket, randomUUID()))).toMatchObject({ status: 404 })
    expect(await refusalOf(at('x'))).toMatchObject({ status: 401, json: { code: 'session_required' } })
    const cookie = inject('stack').session_cookie_admin ?? ''
    const withoutTicket = `/api/realtime/websocket?project_id=${project.id}`
    expect(await refusalOf(withoutTicket, { cookie })).toMatchObject({ status: 400 })
  })

  it('is made for administrators, and for projects that are there and not paused', async () => {
    expect(await memberOutcome('POST', '/api/realtime/ticket')).toEqual([403, 'admin_required'])
    expect(await issue(randomUUID())).toMatchObject({ code: 'not_found' })
    const paused = await makeProject()
    await asAdmin('PATCH', `/api/projects/${paused.id}`, { body: { status: 'paused' } })
    expect(await issue(paused.id)).toMatchObject({ code: 'project_paused' })
  })

  it('is asked for with an upgrade alone', async () => {
    expect((await asAdmin('GET', at('x'))).status).toBe(426)
  })
})

describe('GET /v1/realtime and /api/realtime', () => {
  it('tells who is connected, what they follow, and which limits hold', async () => {
    const [mine, topic] = [await makeProject(), newTopic()]
    await using socket = await socketOf(mine.anon)
    await socket.join(topic)
    const { text } = await callWith(mine.service.key, 'GET', '/v1/realtime')
    const state = RealtimeState.strict().parse(JSON.parse(text))
    expect(state).toMatchObject({
      status: 'ok',
      problems: [],
      connections: 1,
      channels: 1,
      projects: [{ project_id: mine.id, status: 'ok' }],
      topics: [{ project_id: mine.id, topic, private: false, members: 1, present: 0 }],
      limits: { message_bytes_max: 262_144 },
    })
    const one = await asAdmin('GET', `/api/realtime?project_id=${mine.id}`)
    expect(one.json.topics).toEqual(state.topics)
    const all = RealtimeState.parse((await asAdmin('GET', '/api/realtime')).json)
    expect(all.topics).toEqual(expect.arrayContaining(state.topics))
  })

  it('shows a key its own project alone', async () => {
    const other = await makeProject()
    const read = (query: string) => callWith(other.service.key, 'GET', `/v1/realtime${query}`)
    expect(JSON.parse((await read('')).text)).toMatchObject({
      connections: 0,
      projects: [{ project_id: other.id }],
    })
    expect((await read(`?project_id=${project.id}`)).status).toBe(404)
    expect((await asAdmin('GET', `/api/realtime?project_id=${randomUUID()}`)).status).toBe(404)
    expect((await callWith(other.anon.key, 'GET', '/v1/realtime')).status).toBe(403)
    expect(await memberOutcome('GET', '/api/realtime')).toEqual([403, 'admin_required'])
  })
})

describe('a socket ends within a second', () => {
  const endsBy = async (
    change: (mine: Project) => Promise<{ status: number }>,
    open = (mine: Project) => socketOf(mine.anon),
  ) => {
    const mine = await makeProject()
    const socket = await open(mine)
    await socket.join(newTopic())
    expect([200, 204]).toContain((await change(mine)).status)
    const late = new Promise(resolve => setTimeout(() => resolve('still open'), 1_000))
    return await Promise.race([socket.closed, late])
  }

  it('when its key is revoked', async () => {
    const end = await endsBy(({ anon, service }) => callWith(service.key, 'DELETE', `/v1/keys/${anon.id}`))
    expect(end).toEqual({ code: 1008, reason: 'the API key is not valid any more' })
  })

  it('when its key is replaced', async () => {
    const end = await endsBy(({ anon, service }) =>
      callWith(service.key, 'POST', `/v1/keys/${anon.id}/rotate`, { overlap_seconds: 0 }),
    )
    expect(end).toEqual({ code: 1008, reason: 'the API key is not valid any more' })
  })

  it('when the session ends that had the ticket', async () => {
    const { identity_public_url: publicUrl } = inject('stack')
    const cookie = await signInAsBrowser(publicUrl ?? '', await makePerson({ role: 'admin' }))
    const whoami = await fetch(`${publicUrl}/sessions/whoami`, { headers: { cookie } })
    const { identity } = (await whoami.json()) as { identity: { id: string } }
    const end = await endsBy(
      () => asAdmin('DELETE', `/api/auth/identities/${identity.id}/sessions`),
      async ({ id }) => {
        const call = { body: { project_id: id }, headers: { cookie } }
        const { json } = await asAdmin('POST', '/api/realtime/ticket', call)
        return await openSocket(ticketPath(json.ticket, id))
      },
    )
    expect(end).toEqual({ code: 1008, reason: 'the session has ended' })
  })

  it('when its project is paused', async () => {
    const end = await endsBy(({ id }) =>
      asAdmin('PATCH', `/api/projects/${id}`, { body: { status: 'paused' } }),
    )
    expect(end).toEqual({ code: 1008, reason: 'the project is paused' })
  })
})

describe('refusals of an upgrade', () => {
  it.each([
    ['no key', '/realtime/v1/websocket', 401, 'invalid_api_key'],
    ['a key that is none', '/realtime/v1/websocket?apikey=x', 401, 'invalid_api_key'],
    ['another version', `/realtime/v1/websocket?vsn=3.0.0`, 401, 'invalid_api_key'],
  ])('with %s are said as Supabase’s server says them', async (_, path, status, code) => {
    const refused = await refusalOf(path)
    expect(refused.status).toBe(status)
    const { error, message } = refused.json
    expect(refused.json).toEqual({
      error: expect.any(String),
      message: error,
      code,
      detail: null,
      hint: expect.any(String),
      request_id: expect.any(String),
    })
    expect(message).toBe(error)
  })

  it('name the version that is not spoken', async () => {
    const refused = await refusalOf(`/realtime/v1/websocket?vsn=3.0.0&apikey=${project.anon.key}`)
    expect(refused).toMatchObject({ status: 422, json: { error: expect.stringContaining('vsn') } })
  })
})
