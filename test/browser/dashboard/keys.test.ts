// API keys: created, changed, rotated and revoked from the page; the key itself is on it once.

import { expect, inject, it } from 'vitest'
import { contrastProblems } from './axe.ts'
import { searchFor, visit } from './visitor.ts'

const { base_url } = inject('stack')

/** What a call with this key gets. */
async function statusWith(key: string): Promise<number> {
  const answer = await fetch(`${base_url}/v1/status`, { headers: { apikey: key } })
  return answer.status
}

it('creates, rotates and revokes a key, and shows it once', async () => {
  await using seat = await visit('/keys?key=nobody')
  const { page } = seat
  await page.getByRole('dialog', { name: 'No such key' }).getByRole('button', { name: 'Close' }).click()
  await page.getByRole('link', { name: 'API keys', exact: true }).first().click()
  const name = `browser ${crypto.randomUUID()}`

  // What was discarded is gone, also where the new address opens the same dialog.
  const asking = page.getByRole('dialog', { name: 'Discard your changes?' })
  await page.getByLabel('Search keys').fill(name)
  await page.getByRole('button', { name: 'Create key' }).first().click()
  await page.getByLabel('Name').fill('discarded')
  await searchFor(page, 'create api key')
  await page.getByRole('option', { name: 'Create API key' }).click()
  await asking.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('dialog').first().waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Create key' }).first().click()
  expect(await page.getByLabel('Name').inputValue()).toBe('')
  // A mistake is said at its field, and what was typed stays.
  await page.getByRole('radio', { name: /service_role/ }).click()
  await page.getByLabel('Requests a minute', { exact: true }).fill('-1')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await page.getByText('Must be at least 1', { exact: true }).waitFor()
  await page.getByRole('alert').getByText('rate_limit_per_minute: Must be at least 1').waitFor()
  await page.getByLabel('Requests a minute', { exact: true }).fill('50')
  await page.getByLabel('Name').fill(name)
  // What was typed is not thrown away by one key.
  await page.keyboard.press('Escape')
  await asking.getByRole('button', { name: 'Cancel' }).click()
  await asking.waitFor({ state: 'detached' })
  // A list that cannot be read again keeps nobody from the secret.
  const lists = `${base_url}/api/keys?*`
  await page.route(lists, route => (route.request().method() === 'GET' ? route.abort() : route.continue()))
  // Nor does Back, while the answer is on its way.
  const backIsPressed = Promise.withResolvers<void>()
  await page.route(`${base_url}/api/keys`, async route => {
    await backIsPressed.promise
    await route.continue()
  })
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await page.evaluate(() => history.back())
  await page.getByText('Leave before the request is finished?').waitFor()
  backIsPressed.resolve()

  const shown = page.getByRole('button', { name: /^Copy API key/ })
  const first = (await shown.textContent()) ?? ''
  expect(await statusWith(first)).toBe(200)
  expect(await contrastProblems(page)).toEqual([])
  // Neither Escape nor Back loses it.
  await page.keyboard.press('Escape')
  await page.evaluate(() => history.back())
  expect(await shown.textContent()).toBe(first)
  await page.unroute(lists)
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByLabel('Search keys').fill(name)
  await page.getByRole('link', { name }).click()
  await page.getByRole('button', { name: 'Rotate key' }).waitFor()
  expect(await page.content()).not.toContain(first)
  expect(page.url()).not.toContain(first)
  // The panel opens beside the list as it is.
  expect(new URL(page.url()).searchParams.get('search')).toBe(name)

  await page.getByRole('button', { name: 'Rotate key' }).click()
  await page.getByLabel('Minutes that the old key keeps working').fill('0')
  await page.getByRole('dialog').last().getByRole('button', { name: 'Rotate key' }).click()
  const second = (await shown.textContent()) ?? ''
  await page.getByRole('button', { name: 'I have copied it' }).click()
  expect([await statusWith(first), await statusWith(second)]).toEqual([401, 200])

  await page.getByRole('button', { name: 'Revoke key' }).click()
  const confirm = page.getByRole('dialog').last().getByRole('button', { name: 'Revoke key' })
  expect(await confirm.isDisabled()).toBe(true)
  await page.getByLabel(`Type ${name} to confirm`).fill(name)
  await confirm.click()
  await expect.poll(() => statusWith(second)).toBe(401)
  await page.getByText('Revoked').first().waitFor()
  // But for the lists that were kept away.
  expect(seat.complaints.filter(text => !text.includes('ERR_FAILED'))).toEqual([])
})

it('says to a member that keys are for administrators', async () => {
  await using seat = await visit('/keys', { who: 'user' })
  const { page } = seat
  await page.getByText('API keys: for administrators only').waitFor()
  await page.getByRole('link', { name: 'Audit log for administrators only' }).waitFor()
  await searchFor(page, 'create api key')
  await page.getByRole('option', { name: 'Create API key API keys for administrators only' }).waitFor()
})
