// Permissions: tuples added, imported, checked and deleted from the page; roles given and taken away.

import { expect, inject, it } from 'vitest'
import { visit } from './visitor.ts'

const { permission_read_url } = inject('stack')

/** How many tuples of an object the permission server has. */
async function storedOf(object: string): Promise<number> {
  let count = 0
  let token = ''
  do {
    const query = new URLSearchParams({ namespace: 'Project', object, page_size: '500', page_token: token })
    const answer = await fetch(`${permission_read_url}/relation-tuples?${query}`)
    const page = (await answer.json()) as { relation_tuples: unknown[]; next_page_token: string }
    count += page.relation_tuples.length
    token = page.next_page_token
  } while (token !== '')
  return count
}

it('says a mistake as it is typed, adds the tuple, checks it with its chain, and deletes it', async () => {
  const project = `p-${crypto.randomUUID()}`
  const team = `t-${crypto.randomUUID()}`
  await using seat = await visit('/permissions')
  const { page } = seat
  const dialog = page.getByRole('dialog').last()

  await page.getByRole('button', { name: 'Add tuple' }).click()
  const field = dialog.getByLabel('Relation tuple')
  const add = dialog.getByRole('button', { name: 'Add tuple' })
  await field.fill(`Project:${project}`)
  await dialog.getByText('A “#” is missing behind the object').waitFor()
  await field.fill(`Projct:${project}#owner@ann`)
  await dialog.getByText('There is no namespace “Projct”. Did you mean Project?').waitFor()
  await field.fill(`Project:${project}#ownr@ann`)
  await dialog.getByText('Project has no relation “ownr”. Did you mean owner?').waitFor()
  expect(await dialog.locator('mark').textContent()).toBe('ownr')
  expect(await add.isDisabled()).toBe(true)
  await field.fill(`Project:${project}#owner@Organization:${team}#admin`)
  await dialog.getByText('become owner of Project').waitFor()
  await add.click()
  await page.getByText('The tuple is added').waitFor()
  expect(await storedOf(project)).toBe(1)

  await page.getByRole('button', { name: 'Add tuple' }).click()
  await field.fill(`Organization:${team}#admin@<b>ann</b>`)
  await add.click()
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Check permission' }).click()
  const question = dialog.getByLabel('Has this subject that relation or permit?')
  await question.fill(`Project:${project}#view@<b>ann</b>`)
  await question.press('Enter')
  await dialog
    .getByText(
      `<b>ann</b> is admin of ${team}, whose admins are owners of ${project}; that gives view on ${project}.`,
    )
    .waitFor()
  // What was asked can be sent to a colleague.
  expect(new URL(page.url()).searchParams.get('ask')).toBe(`Project:${project}#view@<b>ann</b>`)
  await question.fill(`Project:${project}#view@ben`)
  await question.press('Enter')
  await dialog.getByText(`No tuple leads from view of Project ${project} to ben.`).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()

  await page.getByRole('textbox', { name: 'Object' }).fill(project)
  await page.getByRole('textbox', { name: 'Object' }).press('Enter')
  await page.getByText('1 tuple', { exact: true }).waitFor()
  await page.getByRole('checkbox', { name: `Select Project:${project}#owner` }).click()
  await page.getByRole('button', { name: 'Delete selected' }).click()
  await dialog.getByText(`Project:${project}#owner@Organization:${team}#admin`).waitFor()
  await dialog.getByRole('button', { name: 'Delete tuple' }).click()
  await page.getByText('No tuple matches').waitFor()
  expect(await storedOf(project)).toBe(0)
  expect(seat.complaints).toEqual([])
})

it('imports a file in packets, and says which line is bad and how many were there already', async () => {
  const project = `p-${crypto.randomUUID()}`
  const lines = Array.from({ length: 620 }, (_, n) => `Project:${project}#viewer@user-${n}`)
  const file = [...lines, lines[0], '', `Project:${project}#vewer@ann`, 'nonsense'].join('\n')
  await using seat = await visit('/permissions?import=true')
  const { page } = seat
  const dialog = page.getByRole('dialog')

  await dialog
    .getByLabel('File of relation tuples')
    .setInputFiles({ name: 'viewers.txt', mimeType: 'text/plain', buffer: Buffer.from(file) })
  const bad = dialog.getByRole('row', { name: /^623/ })
  await bad.getByText('Did you mean viewer?').waitFor()
  await dialog.getByText('2 bad lines').waitFor()
  // One key does not throw it away.
  await page.keyboard.press('Escape')
  const asking = page.getByRole('dialog', { name: 'Discard the import of viewers.txt?' })
  await asking.getByRole('button', { name: 'Cancel' }).click()
  await asking.waitFor({ state: 'detached' })
  await dialog.getByText('1 twice in the file').waitFor()
  expect(await storedOf(project)).toBe(0)
  await dialog.getByRole('button', { name: 'Import 621 tuples' }).click()
  await dialog.getByText('Done').waitFor()
  const fact = (label: string) =>
    dialog.locator('div:has(> dt)', { hasText: label }).locator('dd').textContent()
  expect([await fact('Imported'), await fact('Duplicates'), await fact('Failed')]).toEqual(['620', '1', '0'])
  expect(await storedOf(project)).toBe(620)
  await dialog.getByRole('button', { name: 'Close' }).click()
  expect(seat.complaints).toEqual([])
})

it('an import goes on past a packet that is refused, and sends it again when asked to', async () => {
  const project = `p-${crypto.randomUUID()}`
  const file = Array.from({ length: 1_001 }, (_, n) => `Project:${project}#viewer@user-${n}`).join('\n')
  await using seat = await visit('/permissions?import=true')
  const { page } = seat
  const dialog = page.getByRole('dialog')
  const body = {
    error: 'tuples[7]: no such luck.',
    code: 'invalid_tuple',
    detail: null,
    hint: 'Try again.',
    request_id: 'req_of_the_test',
  }
  let calls = 0
  await page.route('**/relation-tuples/import', async route => {
    const isPreflight = route.request().method() === 'OPTIONS'
    if (isPreflight || ++calls !== 2) return route.continue()
    const headers = {
      'access-control-allow-origin': new URL(page.url()).origin,
      'access-control-allow-credentials': 'true',
    }
    return route.fulfill({ status: 422, headers, json: body })
  })
  await dialog
    .getByLabel('File of relation tuples')
    .setInputFiles({ name: 'viewers.txt', mimeType: 'text/plain', buffer: Buffer.from(file) })
  await dialog.getByRole('button', { name: 'Import 1,001 tuples' }).click()
  await dialog.getByText('Lines 501 to 1000, for line 508').waitFor()
  await dialog.getByText('Try again.').waitFor()
  // The last packet goes on its way after the refusal of the second.
  await expect.poll(() => storedOf(project)).toBe(501)
  await dialog.getByRole('button', { name: 'Retry failed' }).click()
  await dialog.getByText('500 / 500').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(seat.complaints).toEqual([])
})

it('shows everything that somebody has, gives a role and takes it away', async () => {
  const project = `p-${crypto.randomUUID()}`
  const team = `t-${crypto.randomUUID()}`
  const who = `w-${crypto.randomUUID()}`
  await using seat = await visit('/permissions/roles?give=true', { who: 'user' })
  const { page } = seat
  const dialog = page.getByRole('dialog').last()
  const give = async (subject: string, role: string, object: string) => {
    await dialog.getByLabel('Who').fill(subject)
    await dialog.getByRole('combobox', { name: 'Namespace' }).click()
    await page.getByRole('option', { name: role === 'admin' ? 'Organization' : 'Project' }).click()
    await dialog.getByRole('combobox', { name: 'Role' }).click()
    await page.getByRole('option', { name: role }).click()
    await dialog.getByLabel('Object').fill(object)
    await dialog.getByRole('button', { name: 'Give role' }).click()
    await page.getByText(`${role} of ${object} is given`).waitFor()
  }
  await give(`Organization:${team}#admin`, 'owner', project)
  await page.getByRole('button', { name: 'Give role' }).click()
  await give(who, 'admin', team)

  await page.getByLabel('Find').fill(who)
  // Whether their tuples are among those of the list or not.
  await page.getByRole('link', { name: `Open ${who}` }).click()
  await dialog
    .getByText(`${who}: admin of ${team}, owner of ${project} (through admins of ${team}).`)
    .waitFor()
  await dialog.getByRole('button', { name: `Take away Organization:${team}#admin@${who}` }).click()
  await dialog.getByRole('button', { name: 'Take away', exact: true }).click()
  await page.getByText(`${who}: no role at all.`).waitFor()
  expect(new URL(page.url()).searchParams.get('find')).toBe(who)
  expect(seat.complaints).toEqual([])
})

it('says in words what the permission file allows', async () => {
  await using seat = await visit('/permissions/namespaces')
  const { page } = seat
  await page
    .getByRole('row', { name: /^editor/ })
    .getByText('the members of an Organization')
    .waitFor()
  await page.getByText('whoever has edit or viewer or view of parent').waitFor()
  await page.getByText('class Project implements Namespace').first().waitFor()
  expect(seat.complaints).toEqual([])
})
