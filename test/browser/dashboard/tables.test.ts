// Tables: rows are found, read, changed, inserted and deleted from the page, and no value is another one after it.

import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { connectOwner } from '../../support/postgres.ts'
import { visit } from './visitor.ts'

const { base_url, service_role_key } = inject('stack')
const p = `b${crypto.randomUUID().replaceAll('-', '').slice(0, 10)}`

async function asOwner(sql: string): Promise<void> {
  await using owner = await connectOwner()
  await owner.query(sql)
}

/** What the database has, each column as text. */
async function readText(table: string, query: string): Promise<unknown> {
  const answer = await fetch(`${base_url}/v1/db/${table}?${query}`, { headers: { apikey: service_role_key } })
  return answer.json()
}

/** The type json keeps what was written; whoever looks at it changes none of it. */
const RAW = '{"b":1.10,  "a":[9007199254740993]}'
const HTML = '<img src=x onerror="document.title=1"> & sons'

beforeAll(() =>
  asOwner(`
    create type ${p}_state as enum ('draft', 'paid');
    create table ${p}_people (id bigint primary key, name text not null, email text unique);
    insert into ${p}_people values (9007199254740993, '${HTML}', 'a@example.com'), (2, 'Grace', 'b@example.com');
    create table ${p}_orders (id bigint primary key, person_id bigint not null references ${p}_people,
      "order" int, state ${p}_state not null default 'draft', total numeric check (total >= 0), note text,
      paid boolean not null default false, data jsonb, "__proto__" text default 'own',
      raw json default '${RAW}');
    alter table ${p}_orders enable row level security;
    insert into ${p}_orders (id, person_id, "order", total, note, data) values
      (9007199254740993, 9007199254740993, 1, 9007199254740993.0001, null, '{"n": 9007199254740993}'),
      (9007199254740995, 2, 2, 20, '', '[]'), (3, 2, 3, 30, 'third', null);
    create table ${p}_log (at int, line text);
    insert into ${p}_log values (1, 'first'), (1, 'first');
    create table ${p}_many (id int primary key, word text);
    insert into ${p}_many select n, 'word ' || n from generate_series(1, 10000) n;
    create schema ${p}_hidden;
    create table ${p}_hidden.visits (person_id bigint references ${p}_people);
    create table ${p}_places (country text, town text, primary key (town, country));
    insert into ${p}_places values ('de', 'Ulm');
    create table ${p}_trips (id int primary key, country text, town text, note text, person_id bigint,
      foreign key (country, town) references ${p}_places (country, town));
    insert into ${p}_trips values (1, 'de', 'Ulm', repeat('long ', 100), 2), (2, 'de', null, '', null);
    alter table ${p}_trips add foreign key (person_id) references ${p}_people;
    grant select on ${p}_log, ${p}_orders to anon;
    grant all on ${p}_people, ${p}_orders, ${p}_log, ${p}_many, ${p}_places, ${p}_trips to service_role`),
)

afterAll(() =>
  asOwner(`drop schema ${p}_hidden cascade; drop type ${p}_state cascade;
    drop table ${p}_orders, ${p}_trips, ${p}_people, ${p}_places, ${p}_log, ${p}_many`),
)

it('lists tables, and says which of them anybody may read', async () => {
  await using seat = await visit('/database/tables')
  const { page } = seat
  await page.getByLabel('Search tables').fill(p)
  const open = page.getByRole('row', { name: new RegExp(`${p}_log`) })
  await open.getByText('Off, and open to anon').waitFor()
  // Granted, and no policy lets a row pass.
  await page.getByRole('row', { name: new RegExp(`${p}_orders .* On Nothing`) }).waitFor()
  await page.getByRole('link', { name: `${p}_log` }).click()
  await page.getByText('All rows: read.').waitFor()
  // Rows that are alike cannot be told apart: they open, and nothing in them can be changed.
  await page.getByText('there is no primary key to find them by').waitFor()
  await page
    .getByRole('region', { name: `Rows of ${p}_log` })
    .getByRole('link')
    .first()
    .click()
  const panel = page.getByRole('dialog')
  await panel.getByText('first').waitFor()
  expect(await panel.getByRole('textbox').count()).toBe(0)
  expect(await page.getByRole('checkbox').count()).toBe(0)
  expect(seat.complaints).toEqual([])
})

it('filters and sorts by the address, and follows a foreign key to its row', async () => {
  // A row without a key is none.
  const filter = new URLSearchParams({ '"order"': 'lt.3', order: 'total.desc', row: '' })
  await using seat = await visit(`/database/tables/public/${p}_orders?${filter}`)
  const { page } = seat
  const grid = page.getByRole('region', { name: `Rows of ${p}_orders` })
  const ids = () => grid.locator('tbody tr td:nth-child(2)').allTextContents()
  await expect.poll(ids).toEqual(['9007199254740993', '9007199254740995'])
  await page.getByText('1–2 of 2').waitFor()

  await grid.getByRole('button', { name: /^total/ }).click()
  await expect.poll(ids).toHaveLength(2)
  expect(new URL(page.url()).searchParams.get('order')).toBeNull()
  await grid.getByRole('button', { name: /^total/ }).click()
  await expect.poll(ids).toEqual(['9007199254740995', '9007199254740993'])

  await page.getByRole('button', { name: 'Remove the filter order < 3' }).click()
  await page.getByText('1–3 of 3').waitFor()
  await page.getByRole('combobox', { name: 'Column' }).click()
  await page.getByRole('option', { name: 'note' }).click()
  await page.getByRole('combobox', { name: 'Operator' }).click()
  await page.getByRole('option', { name: 'is NULL' }).click()
  await page.getByRole('button', { name: 'Add filter' }).click()
  await expect.poll(ids).toEqual(['9007199254740993'])
  expect(new URL(page.url()).searchParams.get('note')).toBe('is.null')
  await grid.getByText('NULL').first().waitFor()

  await grid.getByRole('link', { name: `person_id 9007199254740993: open the row in ${p}_people` }).click()
  await page.getByRole('dialog').getByLabel('name', { exact: true }).waitFor()
  // What is in the database is text, whatever it looks like.
  expect(await page.getByRole('dialog').getByLabel('name', { exact: true }).inputValue()).toBe(HTML)
  await page.keyboard.press('Escape')
  await page
    .getByRole('region', { name: `Rows of ${p}_people` })
    .getByText(HTML)
    .waitFor()
  expect(await page.title()).toContain(`${p}_people`)

  // A row shows what refers to it, how often, and leads there.
  await page.goto(
    `${new URL(page.url()).origin}/database/tables/public/${p}_people?row=${encodeURIComponent('["2"]')}`,
  )
  const panel = page.getByRole('dialog')
  await panel.getByText(': 2 rows').waitFor()
  await panel.getByText(`${p}_hidden.visits (person_id): in a schema that is not served here`).waitFor()
  await panel.getByRole('link', { name: `${p}_orders (person_id)` }).click()
  await page.getByRole('button', { name: 'Remove the filter person_id = 2' }).waitFor()
  await expect.poll(ids).toEqual(['3', '9007199254740995'])
  expect(seat.complaints).toEqual([])
})

it('leads from and to a row by a key of two columns, and from NULL nowhere', async () => {
  await using seat = await visit(`/database/tables/public/${p}_trips?order=id`)
  const { page } = seat
  const grid = page.getByRole('region', { name: `Rows of ${p}_trips` })
  const link = grid.getByRole('link', { name: `country de, town Ulm: open the row in ${p}_places` })
  await link.first().waitFor()
  expect(await link.count()).toBe(2)
  await link.first().click()
  const panel = page.getByRole('dialog')
  await panel.getByText(`${p}_trips (country, town): 1 row`).waitFor()
  await panel.getByRole('link', { name: `${p}_trips (country, town)` }).click()
  await page.getByRole('button', { name: 'Remove the filter town = Ulm' }).waitFor()
  await grid.getByRole('link', { name: '1', exact: true }).click()
  await panel.getByRole('link', { name: `country de, town Ulm in ${p}_places` }).waitFor()
  await panel.getByText('no table', { exact: true }).waitFor()

  // The count alone fails, and says so.
  const json = { error: 'No.', code: 'invalid_filter', detail: null, hint: null, request_id: 'r' }
  await page.route(/_trips\?.*limit=0/, route => route.fulfill({ status: 400, json }))
  const key = encodeURIComponent('["Ulm","de"]')
  await page.goto(`${new URL(page.url()).origin}/database/tables/public/${p}_places?row=${key}`)
  await panel.getByText(`${p}_trips (country, town): could not be counted`).waitFor()
})

it('changes one value of one row, and leaves every digit of the others', async () => {
  await using seat = await visit(`/database/tables/public/${p}_orders`)
  const { page } = seat
  await page.getByRole('link', { name: '9007199254740993' }).first().click()
  const panel = page.getByRole('dialog')
  const text = 'select=id::text,total::text,note,state,paid,data::text&id=eq.9007199254740993'

  expect(await panel.getByRole('textbox', { name: 'raw' }).textContent()).toBe(RAW)
  // A mistake is said at its column, and what was typed stays.
  await panel.getByLabel('total', { exact: true }).fill('-1')
  await panel.getByRole('button', { name: 'Save 1 change' }).click()
  await panel
    .getByRole('alert')
    .filter({ hasText: `${p}_orders_total_check` })
    .first()
    .waitFor()
  expect(await panel.getByLabel('total', { exact: true }).getAttribute('aria-invalid')).toBe('true')
  await panel.getByLabel('total', { exact: true }).fill('9007199254740995.0003')

  await panel.getByRole('combobox', { name: 'state' }).click()
  await page.getByRole('option', { name: 'paid' }).click()
  await panel.getByRole('combobox', { name: 'paid' }).click()
  await page.getByRole('option', { name: 'true' }).click()
  await panel.getByLabel('note', { exact: true }).fill('hello')
  await panel.getByRole('textbox', { name: 'data' }).fill('{"n": 9007199254740995}')
  await panel.getByRole('button', { name: 'Save 5 changes' }).click()
  await panel.getByText('Saved').waitFor()
  expect(await readText(`${p}_orders`, text)).toEqual([
    {
      id: '9007199254740993',
      total: '9007199254740995.0003',
      note: 'hello',
      state: 'paid',
      paid: true,
      data: '{"n": 9007199254740995}',
    },
  ])

  await panel.getByRole('button', { name: 'note: NULL' }).click()
  await panel.getByRole('button', { name: 'state: Default' }).click()
  await panel.getByRole('button', { name: 'Save 2 changes' }).click()
  await panel.getByText('Saved').waitFor()
  expect(await readText(`${p}_orders`, text)).toMatchObject([
    { note: null, state: 'draft', data: '{"n": 9007199254740995}' },
  ])
  expect(await readText(`${p}_orders`, 'select=note,total::text&id=eq.9007199254740995')).toEqual([
    { note: '', total: '20' },
  ])

  // What somebody else writes meanwhile is not overwritten unseen, and what was typed is not lost by Back.
  await panel.getByLabel('note', { exact: true }).fill('mine')
  await asOwner(`update ${p}_orders set note = e'l1\\r\\nl2\\r\\n' where id = 9007199254740993`)
  await panel.getByRole('button', { name: 'Save 1 change' }).click()
  await panel.getByText('somebody else has changed this row').waitFor()
  await panel.getByRole('button', { name: 'Read it again' }).click()
  await panel.getByText('Somebody else has changed it to').waitFor()
  expect(await panel.getByLabel('note', { exact: true }).inputValue()).toBe('mine')
  await page.evaluate(() => history.back())
  const asking = page.getByRole('dialog', { name: 'Discard 1 change?' })
  await asking.getByRole('button', { name: 'Cancel' }).click()
  await asking.waitFor({ state: 'detached' })
  const [leaving] = await Promise.all([
    page.waitForEvent('dialog').then(dialog => dialog.dismiss().then(() => dialog.type())),
    page.evaluate(() => location.reload()),
  ])
  expect(leaving).toBe('beforeunload')
  await panel.getByRole('button', { name: 'Undo the change of note' }).click()

  // A field has no other line ends than \n; the value keeps its own.
  await panel.getByLabel('note', { exact: true }).fill('l1z\nl2\n')
  await panel.getByLabel('note', { exact: true }).fill('l1\nl2\n')
  await panel.getByRole('button', { name: 'Nothing changed' }).waitFor()
  await panel.getByLabel('note', { exact: true }).fill('l1z\nl2\n')
  await panel.getByRole('button', { name: 'Save 1 change' }).click()
  await panel.getByText('Saved').waitFor()
  expect(await readText(`${p}_orders`, text)).toMatchObject([{ note: 'l1z\r\nl2\r\n' }])

  // What was typed outlives the row.
  await panel.getByLabel('note', { exact: true }).fill('mine')
  await asOwner(`delete from ${p}_orders where id = 9007199254740993`)
  await panel.getByRole('button', { name: 'Save 1 change' }).click()
  await panel.getByRole('button', { name: 'Read it again' }).click()
  await panel.getByText('This row is gone').waitFor()
  expect(await panel.getByLabel('note', { exact: true }).inputValue()).toBe('mine')
  expect(seat.complaints).toEqual([])
})

it('inserts a row, and deletes those that are selected', async () => {
  await using seat = await visit(`/database/tables/public/${p}_people?nowhere=eq.1&row=["2"]`)
  const { page } = seat
  // A row opens also where its list does not.
  const opened = page.getByRole('dialog', { name: `${p}_people 2` })
  await opened.getByLabel('email', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Remove the filter nowhere = 1' }).click()
  await page.getByRole('button', { name: 'Insert row' }).click()
  const panel = page.getByRole('dialog')
  await panel.getByLabel('id', { exact: true }).fill('77')
  await panel.getByLabel('email', { exact: true }).fill('b@example.com')
  await panel.getByLabel('name', { exact: true }).fill('New')
  // A stray Escape loses nothing.
  await page.keyboard.press('Escape')
  await page
    .getByRole('dialog', { name: 'Discard 3 changes?' })
    .getByRole('button', { name: 'Cancel' })
    .click()
  await panel.getByRole('button', { name: 'Insert row' }).click()
  await panel.getByText('duplicate key value').first().waitFor()
  expect(await panel.getByLabel('email', { exact: true }).getAttribute('aria-invalid')).toBe('true')
  await panel.getByLabel('email', { exact: true }).fill('new@example.com')
  await panel.getByRole('button', { name: 'Insert row' }).click()

  const asking = page.getByRole('dialog', { name: `Delete 1 row of public.${p}_people?` })
  await page.getByRole('checkbox', { name: 'Select row 77' }).click()
  await page.getByRole('button', { name: 'Delete 1 row' }).waitFor()
  // Nothing is selected that is not shown.
  await page.getByRole('button', { name: /^name/ }).click()
  await page.getByRole('columnheader', { name: /^name/ }).and(page.locator('[aria-sort]')).waitFor()
  expect(await page.getByRole('button', { name: 'Delete 1 row' }).count()).toBe(0)
  await page.locator('[aria-busy=false]').getByRole('row', { name: 'Select row 77' }).waitFor()
  await page.getByRole('checkbox', { name: 'Select row 77' }).click()
  await page.getByRole('button', { name: 'Delete 1 row' }).click()
  await asking.getByText('id: 77').waitFor()
  await asking.getByRole('button', { name: 'Delete 1 row' }).click()
  await asking.waitFor({ state: 'detached' })
  await expect
    .poll(() => readText(`${p}_people`, 'select=id::text&order=id'))
    .toEqual([{ id: '2' }, { id: '9007199254740993' }])
  // One that is referred to stays, and the dialog says why.
  await page.getByRole('checkbox', { name: 'Select row 2', exact: true }).click()
  await page.getByRole('button', { name: 'Delete 1 row' }).click()
  await asking.getByRole('button', { name: 'Delete 1 row' }).click()
  await asking.getByText('is still referenced').waitFor()
  expect(seat.complaints).toEqual([])
})

it('inserts a row once, however often the form is sent', async () => {
  await using seat = await visit(`/database/tables/public/${p}_log?insert=true`)
  const { page } = seat
  const panel = page.getByRole('dialog')
  await panel.getByLabel('line', { exact: true }).fill('once')
  await panel.locator('form').evaluate((form: HTMLFormElement) => {
    form.requestSubmit()
    form.requestSubmit()
  })
  await page.getByText('The row is inserted').first().waitFor()
  expect(await readText(`${p}_log`, 'select=line&line=eq.once')).toEqual([{ line: 'once' }])
  expect(seat.complaints).toEqual([])
})

it('scrolls through 10 000 rows, and draws only those that are seen', async () => {
  await using seat = await visit(`/database/tables/public/${p}_many?limit=10000`)
  const { page } = seat
  const grid = page.getByRole('region', { name: `Rows of ${p}_many` })
  await grid.getByText('word 1', { exact: true }).waitFor()
  await grid.evaluate(element => element.scrollTo({ top: element.scrollHeight }))
  await grid.getByText('word 10000', { exact: true }).waitFor()
  expect(await grid.getByRole('row').count()).toBeLessThan(80)
  await page.getByText('1–10,000 of 10,000').waitFor()

  // A list whose rows are of several heights is as high at its top as further down: nothing jumps on the way.
  await page.route('**/api/database/tables', async route => {
    const response = await route.fetch()
    const { tables } = (await response.json()) as { tables: object[] }
    const many = Array.from({ length: 200 }, (_, i) => ({
      ...tables[0],
      name: `${i} ${'name '.repeat(10 + 10 * (i % 3))}`,
    }))
    await route.fulfill({ response, json: { tables: many } })
  })
  await page.goto(new URL('/database/tables', page.url()).href)
  const list = page.getByRole('region', { name: 'Tables' })
  const heightAt = async (top: number, state: 'attached' | 'detached') => {
    await list.evaluate((element, to) => element.scrollTo({ top: to }), top)
    await list.getByRole('row', { name: /^30 / }).waitFor({ state })
    return list.evaluate(element => element.scrollHeight)
  }
  const [lower, upper] = [await heightAt(1_500, 'attached'), await heightAt(0, 'detached')]
  // Pixels are rounded.
  expect(Math.abs(lower - upper)).toBeLessThan(5)
  expect(seat.complaints).toEqual([])
})

it('says to a member that tables and SQL are for administrators', async () => {
  await using seat = await visit('/database/tables', { who: 'user' })
  await seat.page.getByText('Tables: for administrators only').waitFor()
  await seat.page.goto(new URL('/database/sql', seat.page.url()).href)
  await seat.page.getByText('SQL: for administrators only').waitFor()
})
