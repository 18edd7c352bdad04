// Realtime in the dashboard: a table whose rows change while somebody looks at it, and the inspector of channels.

import { createClient, type RealtimeChannel, type SupabaseClient } from '@supabase/supabase-js'
import type { Locator, Page, WebSocketRoute } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { makeKey } from '../../support/keys.ts'
import { connectOwner } from '../../support/postgres.ts'
import { contrastProblems } from './axe.ts'
import { visit } from './visitor.ts'

const { base_url } = inject('stack')
const p = `l${crypto.randomUUID().replaceAll('-', '').slice(0, 10)}`
const clients: SupabaseClient[] = []

async function asOwner(sql: string): Promise<void> {
  await using owner = await connectOwner()
  await owner.query(sql)
}

beforeAll(() =>
  asOwner(`
    create table ${p}_notes (id bigint primary key, body text);
    insert into ${p}_notes values (9007199254740992, 'even'), (9007199254740993, 'odd'), (1, 'first');
    create table ${p}_moments (at timestamptz primary key, body text);
    create view ${p}_view as select * from ${p}_notes;
    grant all on ${p}_notes, ${p}_moments, ${p}_view to service_role`),
)

afterAll(async () => {
  await Promise.all(clients.map(client => client.realtime.disconnect()))
  await asOwner(`drop view ${p}_view; drop table ${p}_notes, ${p}_moments`)
})

interface Live extends AsyncDisposable {
  readonly page: Page
  readonly grid: Locator
  readonly complaints: string[]
  /** The values of the column `body`, as they stand. */
  bodies(): Promise<string[]>
  /** The socket between the page and the server. */
  readonly socket: Promise<WebSocketRoute>
}

/** A table's page with its changes, once they come. */
async function followed(table: string, search = ''): Promise<Live> {
  const seat = await visit('/')
  const { page } = seat
  const socket = Promise.withResolvers<WebSocketRoute>()
  await page.routeWebSocket(/\/realtime\/.*websocket/, route => {
    route.connectToServer()
    socket.resolve(route)
  })
  await page.goto(`${inject('stack').dashboard_url}/database/tables/public/${table}?${search}`)
  // Behind an open panel roles are hidden.
  const grid = page.locator(`section[aria-label="Rows of ${table}"]`)
  await page.getByRole('switch', { name: 'Live' }).click()
  await page.getByRole('status').getByText('Connected', { exact: true }).waitFor()
  const bodies = () => grid.locator('tbody tr td:nth-child(3)').allTextContents()
  const leave = () => seat[Symbol.asyncDispose]()
  return {
    page,
    grid,
    complaints: seat.complaints,
    bodies,
    socket: socket.promise,
    [Symbol.asyncDispose]: leave,
  }
}

/** Rows with these words, as those hear them who do not see the colours. */
const row = ({ grid }: Live, words: RegExp) => grid.locator('tr', { hasText: words })

it('shows rows as they change, where they stand, and every digit of their keys', async () => {
  await using live = await followed(`${p}_notes`, 'order=body.asc')
  const { page } = live
  await expect.poll(live.bodies).toEqual(['even', 'first', 'odd'])
  // The client takes both large keys for one.
  await asOwner(`update ${p}_notes set body = 'z' where id = 9007199254740992`)
  await row(live, /9007199254740992, changed/).waitFor()
  expect(await live.bodies()).toEqual(['z', 'first', 'odd'])
  await asOwner(`delete from ${p}_notes where id = 9007199254740993`)
  const gone = row(live, /9007199254740993, deleted/)
  await gone.waitFor()
  expect(await live.bodies()).toEqual(['z', 'first', 'odd'])
  expect(await contrastProblems(page)).toEqual([])

  await asOwner(`insert into ${p}_notes values (2, 'new'), (3, 'newer')`)
  await page.getByText('2 new rows', { exact: true }).waitFor()
  expect(await live.bodies()).toEqual(['z', 'first', 'odd'])
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await row(live, /^2, inserted/).waitFor()
  expect(await live.bodies()).toEqual(['first', 'new', 'newer', 'z'])
  // After a while nothing is marked any more.
  await row(live, /inserted/)
    .first()
    .waitFor({ state: 'detached' })

  await page.getByRole('switch', { name: 'Live' }).click()
  await page.getByText('Connected', { exact: true }).waitFor({ state: 'detached' })
  expect(new URL(page.url()).searchParams.get('live')).toBeNull()
  expect(live.complaints).toEqual([])
})

it('keeps what is typed into a row that somebody else changes', async () => {
  await asOwner(`insert into ${p}_notes values (10, 'mine'), (11, 'theirs')`)
  await using live = await followed(`${p}_notes`, 'id=in.(10,11)')
  const { page } = live
  await page.getByRole('link', { name: '10', exact: true }).click()
  const panel = page.getByRole('dialog')
  await panel.getByLabel('body').fill('typed')
  await asOwner(`update ${p}_notes set body = 'written by somebody else' where id = 10`)
  await row(live, /10, changed/).waitFor()
  expect(await panel.getByLabel('body').inputValue()).toBe('typed')
  await panel.getByRole('button', { name: 'Save 1 change' }).click()
  await panel.getByText('Nothing was saved').waitFor()
  expect(live.complaints).toEqual([])
})

it('says where new rows are that the page has not, and counts changes of rows it cannot tell apart', async () => {
  await asOwner(`insert into ${p}_notes values (20, 'shown')`)
  await using live = await followed(`${p}_notes`, 'body=eq.shown')
  await asOwner(`insert into ${p}_notes values (21, 'filtered out')`)
  await live.page.getByRole('button', { name: 'Show', exact: true }).click()
  await live.page.getByText('1 new row is not on this page').waitFor()
  expect(await live.bodies()).toEqual(['shown'])

  await using moments = await followed(`${p}_moments`)
  await moments.page.getByText('Inserted rows appear here.').waitFor()
  await asOwner(`insert into ${p}_moments values (now(), 'now')`)
  await moments.page.getByText('1 change', { exact: true }).waitFor()
  await moments.page.getByRole('button', { name: 'Show', exact: true }).click()
  await expect.poll(moments.bodies).toEqual(['now'])
})

it('reads the rows again when changes may be missing, and goes on after the connection was lost', async () => {
  await asOwner(`insert into ${p}_notes values (30, 'a')`)
  await using live = await followed(`${p}_notes`, 'id=eq.30')
  const { page } = live
  const first = await live.socket
  const message = { extension: 'postgres_changes', status: 'error', message: 'must_refetch' }
  first.send(JSON.stringify([null, null, 'realtime:quoin-dashboard', 'system', message]))
  await page.getByText('Changes may have been missed').waitFor()
  await first.close({ code: 1013, reason: 'slow_consumer' })
  await page.getByText('Connecting again').waitFor()
  await page.getByText('slow_consumer').waitFor()
  await page.getByRole('status').getByText('Connected', { exact: true }).waitFor()
  await asOwner(`update ${p}_notes set body = 'b' where id = 30`)
  await expect.poll(live.bodies).toEqual(['b'])
})

it('says why it is refused, and asks again when told to', async () => {
  await using seat = await visit('/')
  const { page } = seat
  const refusal = {
    error: 'This project is paused.',
    code: 'project_paused',
    detail: null,
    hint: 'Resume it.',
  }
  await page.route('**/api/realtime/ticket', async route => {
    const response = await route.fetch()
    await route.fulfill({ response, status: 403, json: { ...refusal, request_id: 'test' } })
  })
  await page.goto(`${inject('stack').dashboard_url}/database/tables/public/${p}_notes?live=true`)
  await page.getByText('This project is paused.').waitFor()
  await page.getByText('Resume it.').waitFor()
  await page.unroute('**/api/realtime/ticket')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('status').getByText('Connected', { exact: true }).waitFor()

  await page.goto(`${inject('stack').dashboard_url}/database/tables/public/${p}_view`)
  const off = page.getByRole('switch', { name: 'Live' })
  await off.waitFor()
  expect(await off.isDisabled()).toBe(true)
  expect(seat.complaints).toEqual([])
})

/** An application in a topic, present under this name. */
async function enter(topic: string, name: string): Promise<{ channel: RealtimeChannel; heard: unknown[] }> {
  const { key } = await makeKey('service_role')
  const client = createClient(base_url, key)
  clients.push(client)
  const heard: unknown[] = []
  const channel = client.channel(topic, { config: { presence: { key: name } } })
  channel.on('broadcast', { event: '*' }, ({ event, payload }) => heard.push([event, payload]))
  await new Promise<void>((resolve, reject) =>
    channel.subscribe((status, error) =>
      status === 'SUBSCRIBED' ? resolve() : reject(error ?? new Error(status)),
    ),
  )
  expect(await channel.track({ at: 'the board' })).toBe('ok')
  return { channel, heard }
}

it('lists channels, and shows who is present in one, what comes, and what is sent from here', async () => {
  const topic = `${p} room`
  const { channel, heard } = await enter(topic, 'ann')
  await using seat = await visit('/realtime')
  const { page } = seat
  const channels = page.getByRole('region', { name: 'Channels' })
  await channels.getByRole('row', { name: new RegExp(`${topic} .*1 1`) }).waitFor()
  await channels.getByRole('link', { name: topic }).click()
  await page.getByText('1 present').waitFor()
  await page.getByText('{"at":"the board"}').waitFor()

  await channel.send({ type: 'broadcast', event: 'moved', payload: { x: 1 } })
  const list = page.getByRole('region', { name: `What came of ${topic}` })
  await list.getByText('moved {"x":1}').click()
  await list.getByText('Payload').waitFor()
  await page.getByRole('button', { name: 'Send broadcast' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Event').fill('from here')
  expect(await contrastProblems(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Send broadcast' }).click()
  await list.getByText('from here {"from":"the dashboard"}').waitFor()
  await expect.poll(() => heard).toEqual([['from here', { from: 'the dashboard' }]])

  await channel.untrack()
  await page.getByText('Nobody is present').waitFor()
  await list.getByText('Left').waitFor()
  expect(await contrastProblems(page)).toEqual([])
  expect(seat.complaints).toEqual([])
})

it('follows a table: what comes is held back while it is paused, and can be cleared', async () => {
  await asOwner(`delete from ${p}_notes`)
  await using seat = await visit('/realtime?tab=listen')
  const { page } = seat
  await page.getByText('Nothing is listened to').waitFor()
  await page.getByRole('combobox', { name: 'Table' }).click()
  await page.getByRole('option', { name: `public.${p}_notes` }).click()
  await page.getByText('Nothing has come yet').waitFor()
  await asOwner(`insert into ${p}_notes values (40, 'a')`)
  const list = page.getByRole('region', { name: `What came of public.${p}_notes` })
  await list.getByText('{"id":40,"body":"a"}').waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await asOwner(`update ${p}_notes set body = 'b' where id = 40; delete from ${p}_notes where id = 40`)
  await page.getByText('2 entries waiting').waitFor()
  expect(await list.getByRole('listitem').count()).toBe(1)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect.poll(() => list.getByRole('listitem').count()).toBe(3)
  const words = await list.getByRole('listitem').allTextContents()
  expect(words.map(text => /Insert|Update|Delete/.exec(text)?.[0])).toEqual(['Delete', 'Update', 'Insert'])
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByText('Nothing has come yet').waitFor()
  expect(new URL(page.url()).searchParams.get('table')).toBe(`public.${p}_notes`)
  expect(seat.complaints).toEqual([])
})

it('says what is missing where the state cannot be read', async () => {
  await using seat = await visit('/')
  const { page } = seat
  await page.route(/\/api\/realtime(\?|$)/, async route => {
    const response = await route.fetch()
    const error = { error: 'Realtime does not answer.', code: 'internal_error', detail: null, hint: null }
    await route.fulfill({ response, status: 500, json: { ...error, request_id: 'test' } })
  })
  await page.getByRole('link', { name: 'Realtime', exact: true }).click()
  await page.getByText('Realtime does not answer.').waitFor()
})
