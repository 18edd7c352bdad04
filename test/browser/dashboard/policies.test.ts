// Policies, the schema's diagram and a table's structure: who may do what in words, what somebody would see and by
// which policies, and every table reached by its link.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectOwner } from '../../support/postgres.ts'
import { visit } from './visitor.ts'

const p = `q${crypto.randomUUID().replaceAll('-', '').slice(0, 10)}`

async function asOwner(sql: string): Promise<void> {
  await using owner = await connectOwner()
  await owner.query(sql)
}

beforeAll(() =>
  asOwner(`
    create table ${p}_people (id text primary key, age int default 7 check (age > 0));
    create table ${p}_notes (id int primary key, person text references ${p}_people, is_open bool);
    create type ${p}_place as (street text, "house no" int);
    create table ${p}_stays (nights daterange, exclude using gist (nights with &&));
    create view ${p}_open as select id from ${p}_notes where is_open;
    create index ${p}_by_person on ${p}_notes (person);
    insert into ${p}_people values ('ada');
    insert into ${p}_notes values (1, 'ada', false), (2, null, true), (3, null, false);
    alter table ${p}_notes enable row level security;
    create policy shared on ${p}_notes for select to anon using (is_open);
    create policy own on ${p}_notes for select to anon using (person = quoin.uid());
    grant select on ${p}_notes to anon`),
)

afterAll(() =>
  asOwner(`drop view ${p}_open; drop table ${p}_notes, ${p}_people, ${p}_stays; drop type ${p}_place`),
)

it('says who may do what on a table, and leads to its policies', async () => {
  await using seat = await visit(`/database/policies?search=${p}`)
  const { page } = seat
  const row = page.getByRole('row', { name: new RegExp(`${p}_notes`) })
  await row.getByText('own, shared decide').waitFor()
  expect(await row.getByText('it was not granted').count()).toBe(3)
  await row.getByRole('link').click()
  const policies = page.getByRole('list', { name: `Policies of ${p}_notes` })
  await policies.getByText('(person = quoin.uid())').waitFor()
  await page.getByRole('row', { name: new RegExp(`${p}_by_person`) }).waitFor()
  expect(seat.complaints).toEqual([])
})

it('tries a query with claims, and shows beside each row the policies that hold', async () => {
  await using seat = await visit('/database/policies?tab=try&as=claims')
  const { page } = seat
  const type = async (name: string, text: string) => {
    await page.getByRole('textbox', { name }).click()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.insertText(text)
  }
  await type('Claims', '{"sub": "ada"}')
  await type('Query', `select id from ${p}_notes order by id`)
  await page.keyboard.press('ControlOrMeta+Enter')
  const grid = page.getByRole('region', { name: 'Rows' }).last()
  const cells = () => grid.locator('tbody tr').allInnerTexts()
  await expect
    .poll(async () => (await cells()).map(text => text.trim().split(/\s+/)))
    .toEqual([
      ['own', '1'],
      ['shared', '2'],
    ])
  await type('Query', `select * from ${p}_people`)
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText(/permission denied for table/).waitFor()
  expect(seat.complaints.filter(text => !text.includes('403'))).toEqual([])
})

it('draws a table with its neighbours; the keyboard reaches each', async () => {
  await using seat = await visit(`/database/schema?search=${p}_people`)
  const { page } = seat
  const diagram = page.getByRole('region', { name: 'Diagram of the schema' })
  await diagram.getByRole('link', { name: `${p}_people` }).waitFor()
  const notes = diagram.getByRole('link', { name: `${p}_notes` })
  await notes.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: `public.${p}_notes` }).waitFor()
  expect(seat.complaints).toEqual([])
})

it('shows what excludes rows, the query of a view, and types of the schema’s own', async () => {
  await using seat = await visit(`/database/tables/public/${p}_stays?tab=structure`)
  const { page } = seat
  await page.getByRole('row', { name: /exclusion EXCLUDE USING gist \(nights WITH &&\)/ }).waitFor()
  const origin = new URL(page.url()).origin
  await page.goto(`${origin}/database/tables/public/${p}_open?tab=structure`)
  await page
    .getByRole('textbox', { name: `Query of ${p}_open` })
    .getByText('is_open')
    .waitFor()
  await page.goto(`${origin}/database/schema?search=${p}`)
  await page
    .getByRole('row', { name: `public.${p}_place Composite type street text, house no integer` })
    .waitFor()
  expect(seat.complaints).toEqual([])
})
