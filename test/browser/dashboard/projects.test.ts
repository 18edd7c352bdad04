// Projects: created, renamed, paused and resumed from the page; where keys are shown, theirs is named.

import { expect, inject, it } from 'vitest'
import { contrastProblems } from './axe.ts'
import { visit } from './visitor.ts'

const { base_url } = inject('stack')

/** What a call with this key gets. */
async function statusWith(key: string): Promise<number> {
  const answer = await fetch(`${base_url}/v1/status`, { headers: { apikey: key } })
  return answer.status
}

it('creates a project, gives it a key, and pauses and resumes it', async () => {
  await using seat = await visit('/projects?create=true')
  const { page } = seat
  const name = `browser ${crypto.randomUUID()}`
  const dialog = page.getByRole('dialog').last()
  // A mistake is said at its field, and what was typed stays.
  await dialog.getByRole('button', { name: 'Create project' }).click()
  await page
    .getByRole('alert')
    .getByText(/^name: /)
    .waitFor()
  await page.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Create project' }).click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
  await page.getByText('No keys yet').waitFor()

  await page.getByRole('link', { name: 'Create a key of this project' }).first().click()
  const choice = dialog.getByRole('combobox', { name: 'Project' })
  await choice.getByText(name).waitFor()
  await page.getByRole('radio', { name: /service_role/ }).click()
  await page.getByLabel('Name').fill(`key of ${name}`)
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const key = (await page.getByRole('button', { name: /^Copy API key/ }).textContent()) ?? ''
  await page.getByRole('button', { name: 'I have copied it' }).click()
  expect(await statusWith(key)).toBe(200)
  // The list is that of the project still, and names it.
  const row = page.getByRole('row', { name: `key of ${name}` })
  await row.getByRole('cell', { name, exact: true }).waitFor()
  await row.getByText('Active').waitFor()

  await page.getByRole('link', { name: 'Projects', exact: true }).first().click()
  await page.getByLabel('Search projects').fill(name)
  await page.getByRole('link', { name }).click()
  await page.getByRole('button', { name: 'Pause project' }).click()
  await dialog.getByText('Applications that call with its 1 active key stop working').waitFor()
  expect(await contrastProblems(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Pause project' }).click()
  await page.getByText('This project is paused').waitFor()
  expect(await statusWith(key)).toBe(403)
  await page
    .getByRole('row', { name: `key of ${name}` })
    .getByText('Project paused')
    .waitFor()
  expect(await contrastProblems(page)).toEqual([])

  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(`${name}, renamed`)
  await dialog.getByRole('button', { name: 'Rename project' }).click()
  await page.getByRole('heading', { name: `${name}, renamed`, level: 1 }).waitFor()

  await page.getByRole('button', { name: 'Resume project' }).click()
  await dialog.getByRole('button', { name: 'Resume project' }).click()
  await page.getByText('This project is paused').waitFor({ state: 'detached' })
  expect(await statusWith(key)).toBe(200)
  expect(seat.complaints).toEqual([])
})

it('says so where there is no such project, and to a member that projects are for administrators', async () => {
  await using seat = await visit(`/projects/${crypto.randomUUID()}`)
  await seat.page.getByText(/^No project has the id/).waitFor()
  await using other = await visit('/projects', { who: 'user' })
  await other.page.getByText('Projects: for administrators only').waitFor()
})
