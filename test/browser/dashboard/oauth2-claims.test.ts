// Claims: written with completion, tried on a person before they are saved, and not lost by leaving.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { dashboard, makePerson } from '../../support/applications.ts'
import { holdClaimsConfig } from '../../support/claims-config.ts'
import { visit } from './visitor.ts'

interface Config {
  id_token_claims: Record<string, string>
  access_token_claims: Record<string, string>
}

const NONE: Config = { id_token_claims: {}, access_token_claims: {} }
let before: Config
let held: AsyncDisposable
beforeAll(async () => {
  held = await holdClaimsConfig()
  before = await dashboard('GET', '/claims-config')
  await dashboard('PUT', '/claims-config', NONE)
})
afterAll(async () => {
  await dashboard('PUT', '/claims-config', before)
  await held[Symbol.asyncDispose]()
})

it('completes paths, shows problems and a preview, saves, and asks before changes are lost', async () => {
  const person = await makePerson({ plan: 'team' })
  await using seat = await visit(`/oauth2/claims?${new URLSearchParams({ identity: person.id })}`)
  const { page } = seat
  const preview = page.getByRole('textbox', { name: 'ID token claims' })
  await preview.getByText(`"${person.email}"`).waitFor()

  // A name that the server keeps for itself is said at its row, before anything is saved.
  await page.getByRole('button', { name: 'Add claim to the ID token' }).click()
  await page.getByLabel('Name of claim 1 of the ID token').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('sub')
  await page.keyboard.press('Tab')
  await page.keyboard.type('{{plan')
  await page.getByRole('option', { name: '{{metadata_public.plan}}' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const template = page.getByLabel('Template of sub of the ID token')
  expect(await template.inputValue()).toBe('{{metadata_public.plan}}')
  await page.getByText('The OAuth2 server sets this claim itself.').waitFor()
  await page.getByLabel('Name of claim 1 of the ID token').fill('browser_plan')
  await preview.getByText('"browser_plan"').waitFor()
  await preview.getByText('"team"').waitFor()

  await page.getByRole('button', { name: 'Add claim to the Access token' }).click()
  await page.getByLabel('Name of claim 1 of the Access token').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('browser_team')
  await page.getByLabel('Template of browser_team of the Access token').fill('{{traits.team}}')
  await page.getByText('{{traits.team}} has no value for this person: left out.').waitFor()
  expect(await dashboard('GET', '/claims-config')).toEqual(NONE)

  // The same page at another address: nothing is left, and nothing is asked.
  await page.getByRole('link', { name: 'Claims', exact: true }).click()
  await page.waitForURL(url => url.search === '')
  await page.getByText('Not saved yet.').waitFor()
  expect(await page.getByLabel('Name of claim 1 of the ID token').inputValue()).toBe('browser_plan')

  await page.getByRole('link', { name: 'Discovery' }).click()
  await page.getByRole('dialog', { name: 'Leave without saving the claims?' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Save claims' }).click()
  await page.getByText('The claims are saved').waitFor()
  expect(await dashboard('GET', '/claims-config')).toEqual({
    id_token_claims: { browser_plan: '{{metadata_public.plan}}' },
    access_token_claims: { browser_team: '{{traits.team}}' },
  })

  // Saved: leaving asks no more.
  await page.getByRole('link', { name: 'Discovery' }).click()
  await page.getByRole('heading', { name: 'Discovery', level: 1 }).waitFor()
  expect(seat.complaints).toEqual([])
})

it('leaves what a colleague changes meanwhile as it is', async () => {
  await dashboard('PUT', '/claims-config', NONE)
  await using seat = await visit('/oauth2/claims')
  const { page } = seat
  await page.getByRole('button', { name: 'Add claim to the ID token' }).click()
  await page.getByLabel('Name of claim 1 of the ID token').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('browser_mine')
  await page.getByLabel('Template of browser_mine of the ID token').fill('{{id}}')

  const theirs = { browser_theirs: '{{traits.email}}' }
  await dashboard('PUT', '/claims-config', { access_token_claims: theirs })
  // As when the window has the focus again. What was read ten seconds ago is read anew.
  await page.clock.install()
  await page.clock.fastForward(20_000)
  const readAgain = page.waitForResponse(
    answer => answer.url().endsWith('/claims-config') && answer.request().method() === 'GET',
  )
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  await (await readAgain).finished()
  await page.getByText('Not saved yet.').waitFor()
  await page.getByRole('button', { name: 'Save claims' }).click()
  await page.getByText('The claims are saved').waitFor()
  expect(await dashboard('GET', '/claims-config')).toEqual({
    id_token_claims: { browser_mine: '{{id}}' },
    access_token_claims: theirs,
  })
  await page.getByLabel('Name of claim 1 of the Access token').waitFor()
  expect(seat.complaints).toEqual([])
})
