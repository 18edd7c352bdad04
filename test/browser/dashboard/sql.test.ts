// SQL: a statement's rows, a script's, what is asked before rows are lost, plans, mistakes and the history.

import { text as textOf } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { fitsItsWidth } from '../people.ts'
import { contrastProblems, violationsOf } from './axe.ts'
import { PHONE, type Visit, visit } from './visitor.ts'

async function write({ page }: Visit, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'SQL', exact: true }).fill(text)
}

async function run(seat: Visit, text: string): Promise<void> {
  await write(seat, text)
  await seat.page.keyboard.press('Control+Enter')
}

it('shows rows with types and every digit, and exports them', async () => {
  await using seat = await visit('/database/sql')
  const { page } = seat
  await run(
    seat,
    `select 9007199254740993 as big, 'a "b", c' as word, null::text as nothing, '' as empty,
      '{"n": 9007199254740993, "m": 1.10}'::json as j, current_user as role`,
  )
  await page.getByText(/1 row · [\d,]+ ms/).waitFor()
  const grid = page.getByRole('region', { name: 'Result' })
  for (const text of ['9007199254740993', 'int8', '{"n":9007199254740993,"m":1.10}', 'NULL', 'service_role'])
    await grid.getByText(text, { exact: true }).first().waitFor()

  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  expect(await textOf(await file.createReadStream())).toBe(
    'big,word,nothing,empty,j,role\r\n' +
      '9007199254740993,"a ""b"", c",,"","{""n"":9007199254740993,""m"":1.10}",service_role\r\n',
  )
  await grid.getByRole('button').first().click()
  await page
    .getByRole('dialog')
    .getByRole('textbox', { name: 'j' })
    .getByText('{"n":9007199254740993,"m":1.10}', { exact: true })
    .waitFor()
  await page.keyboard.press('Escape')

  await run(seat, 'select n from generate_series(1, 5000) n')
  await page.getByText('the first 1,000 rows; there are more').waitFor()
  expect(await grid.getByRole('row').count()).toBeLessThan(80)

  // Nobody has to wait for the end of a slow one.
  const sent = page.waitForRequest(request => new URL(request.url()).pathname === '/api/sql')
  await run(seat, 'select pg_sleep(5)')
  // While it is checked nothing runs yet.
  await sent
  await page.getByRole('button', { name: 'Stop waiting' }).click()
  await page.getByText('may keep running, for 10 s at most').waitFor()

  // Rows without any column are rows all the same.
  await run(seat, 'select from generate_series(1, 2)')
  await page.getByText(/SELECT · 2 rows · /).waitFor()
  await run(seat, "do $$ begin raise notice 'hello'; end $$")
  await page.getByText('notices are not shown').waitFor()
  expect(seat.complaints).toEqual([])
})

it('marks the place of a mistake, also in what is selected', async () => {
  await using seat = await visit('/database/sql')
  const { page } = seat
  await run(seat, "select 'é',\n  nowhere from pg_class")
  await page.getByText('column "nowhere" does not exist').waitFor()
  expect(await page.locator('.cm-mark').textContent()).toBe('nowhere')

  await write(seat, 'this is none;\nselect elsewhere')
  await page.keyboard.press('Shift+Home')
  await page.getByRole('button', { name: 'Run selection' }).click()
  await page.getByText('column "elsewhere" does not exist').waitFor()
  expect(await page.locator('.cm-mark').textContent()).toBe('elsewhere')
  expect(seat.complaints).toEqual([])
})

it('explains a statement as a tree, and runs it for that only after asking', async () => {
  await using seat = await visit('/database/sql')
  const { page } = seat
  await write(seat, 'select n from (select 1 union all select id from todos) t(n) order by n')
  await page.getByRole('button', { name: 'Explain', exact: true }).click()
  await page.getByText('it has not run').waitFor()
  const plan = page.getByRole('list', { name: 'Plan' })
  expect(await plan.getByRole('listitem').count()).toBeGreaterThan(2)
  await page.getByRole('button', { name: 'Run and explain' }).click()
  await page.getByText('EXPLAIN ANALYZE runs the statement').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Run and explain' }).click()
  await page.getByText('It has run: planned in').waitFor()
  await plan.getByText('Own time').first().waitFor()
  expect(seat.complaints).toEqual([])
})

it('keeps what was typed while the page lives, and the history in the audit log', async () => {
  await using seat = await visit('/database/sql')
  const { page } = seat
  const text = `select '${crypto.randomUUID()}' as mine`
  await run(seat, text)
  await page.getByText(/1 row · /).waitFor()
  await page.getByRole('link', { name: 'Tables' }).click()
  await page.getByRole('heading', { name: 'Tables' }).waitFor()
  await page.getByRole('link', { name: 'SQL', exact: true }).click()
  const editor = page.getByRole('textbox', { name: 'SQL', exact: true })
  await editor.getByText(text).waitFor()
  await page.getByText(/1 row · /).waitFor()
  expect(page.url()).not.toContain('select')

  await write(seat, 'select 1')
  // A reload would lose it. The history keeps what is put back from it.
  const asksBeforeReload = () =>
    page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })))
  expect(await asksBeforeReload()).toBe(true)
  await page.getByRole('button', { name: 'History' }).click()
  await page.getByLabel('Search history').fill(text)
  await page.getByRole('button', { name: text }).click()
  await editor.getByText(text).waitFor()
  expect(await asksBeforeReload()).toBe(false)
  expect(seat.complaints).toEqual([])
})

it('asks before rows are lost, and runs nothing that was not agreed to', async () => {
  await using seat = await visit('/database/sql')
  const { page } = seat
  const table = `asked_${crypto.randomUUID().slice(0, 8)}`
  const answered = (words: string) => page.getByText(words).waitFor()
  await run(seat, `create table ${table} as select generate_series(1, 3) as id`)
  await answered('3 rows affected')

  await run(seat, `with gone as (delete from ${table} returning *) select * from gone`)
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`Every row of the table public.${table} is deleted: 3 rows.`).waitFor()
  // Who presses Enter without reading loses nothing.
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel')
  expect(await contrastProblems(page)).toEqual([])
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await run(seat, `select count(*) || ' are left' as n from ${table}`)
  await answered('3 are left')

  // Of many losses the first stays in sight, and Enter agrees to none of them.
  await run(seat, Array.from({ length: 20 }, () => `delete from ${table}`).join(';'))
  const first = dialog.getByText('Statement 1: Every row')
  await first.waitFor()
  expect((await first.boundingBox())?.y).toBeGreaterThan(0)
  expect(await violationsOf(page, {})).toEqual([])
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  // With a condition it runs at once; without, what is agreed to runs.
  await run(seat, `update ${table} set id = 9 where id = 1`)
  await answered('1 row affected')
  await run(seat, `drop table ${table}`)
  await dialog.getByText(`The table public.${table} is dropped, with 3 rows.`).waitFor()
  await page.setViewportSize(PHONE)
  expect(await fitsItsWidth(page)).toBe(true)
  await dialog.getByRole('button', { name: 'Run it' }).click()
  await page.getByText('DROP TABLE', { exact: true }).waitFor()
  expect(seat.complaints).toEqual([])
})

it('runs a script as a whole, each result below the other, or nothing of it', async () => {
  await using seat = await visit('/database/sql')
  const { page } = seat
  const table = `script_${crypto.randomUUID().slice(0, 8)}`
  await run(
    seat,
    `-- a ; in a comment\ncreate table ${table} (id int); insert into ${table} values (1), (2);
      select id, ';' as s from ${table}; do $$ begin null; end $$; drop table ${table};`,
  )
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`The table ${table} is dropped`).waitFor()
  await dialog.getByText('Statement 4 runs code (DO or CALL): what it does is not seen.').waitFor()
  await dialog.getByRole('button', { name: 'Run it' }).click()
  await page.getByText(/5 statements, in one transaction · [\d,]+ ms/).waitFor()
  const results = page.getByRole('list', { name: 'Results' }).getByRole('listitem')
  await results.nth(1).getByText('2 rows affected').waitFor()
  await results
    .nth(2)
    .getByRole('region', { name: 'Result 3' })
    .getByText(';', { exact: true })
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'History' }).click()
  await page.getByRole('button', { name: '-- a ; in a comment' }).first().waitFor()
  await page.keyboard.press('Escape')

  await run(seat, `create table ${table} (id int);\nselect nowhere from ${table}; select 1`)
  await page.getByText('Statement 2 of 3 failed, and nothing of the script was kept').waitFor()
  await page.getByText('Line 2, column 8.').waitFor()
  expect(await page.locator('.cm-mark').textContent()).toBe('nowhere')
  await run(seat, `create table ${table} (id int);\nselect 1/(select count(*) from ${table})`)
  await page.getByText('Statement 2 of 2 failed').waitFor()
  expect(await page.locator('.cm-mark').first().textContent()).toContain('select 1/(select')
  await run(seat, `select to_regclass('${table}') is null as undone`)
  await page.getByRole('region', { name: 'Result' }).getByText('true', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Explain', exact: true }).waitFor()
  await write(seat, 'select 1; select 2')
  await page.getByRole('button', { name: 'Explain', exact: true }).click()
  await page.getByText('Explain takes one statement: select one of the 2.').waitFor()
  expect(seat.complaints).toEqual([])
})
