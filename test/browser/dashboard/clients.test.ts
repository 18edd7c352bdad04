// OAuth2 clients: made from a template, edited with mistakes on the way, rotated, deleted.

import { expect, inject, it } from 'vitest'
import { CALLBACK, dashboard, registerClient } from '../../support/applications.ts'
import { visit } from './visitor.ts'

const { oauth_public_url } = inject('stack')

/** What the token endpoint answers to client credentials in the header. */
async function tokenStatus(id: string, secret: string): Promise<number> {
  const answer = await fetch(`${oauth_public_url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  return answer.status
}

interface Stored {
  client_name: string
  redirect_uris: string[]
  scope: string
  access_token_ttl: number | null
  updated_at: string
}
const stored = (id: string) => dashboard<Stored>('GET', `/clients/${id}`)

it('makes a client from a template, shows its secret once, rotates it and deletes the client', async () => {
  await using seat = await visit('/oauth2/clients')
  const { page } = seat
  // Text stays text, wherever it stands.
  const name = `<b>job</b> <img src=x onerror="document.title='hit'"> ${crypto.randomUUID()}`

  await page.getByRole('link', { name: 'Create client' }).first().click()
  await page.getByRole('link', { name: 'Machine to machine' }).click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('button', { name: 'Create client' }).click()

  const shown = page.getByRole('button', { name: /^Copy Client secret/ })
  const first = (await shown.textContent()) ?? ''
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
  const id = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '')
  expect(await tokenStatus(id, first)).toBe(200)
  expect(await page.content()).not.toContain(first)

  await page.getByRole('tab', { name: 'Credentials' }).click()
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
  const second = (await shown.textContent()) ?? ''
  await page.getByRole('button', { name: 'I have copied it' }).click()
  expect([await tokenStatus(id, first), await tokenStatus(id, second)]).toEqual([401, 200])

  await page.getByRole('link', { name: 'Clients', exact: true }).first().click()
  await page.getByLabel('Search clients').fill(id)
  await page.getByRole('link', { name }).click()
  await page.getByRole('tab', { name: 'Danger' }).click()
  await page.getByRole('button', { name: 'Delete client' }).click()
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete client' })
  expect(await confirm.isDisabled()).toBe(true)
  await page.getByLabel(/^Type .* to confirm$/).fill(name)
  await confirm.click()
  await page.waitForURL(url => url.pathname === '/oauth2/clients')
  expect(await tokenStatus(id, second)).toBe(401)
  expect(await page.locator('b, img[src=x]').count()).toBe(0)
  expect(seat.complaints).toEqual([])
})

it('says at the row which redirect URI is wrong, before anything is sent, and saves what is right', async () => {
  const { client_id: id } = await registerClient({
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code'],
    response_types: ['code'],
  })
  await using seat = await visit(`/oauth2/clients/${id}`)
  const { page } = seat
  const row = (number: number) => page.getByLabel(`Redirect URI ${number}`, { exact: true })
  const save = page.getByRole('button', { name: 'Save changes' })
  expect(await save.isDisabled()).toBe(true)

  // A row more by Enter, a duplicate, a mistake; then the row goes by the keyboard.
  await row(1).press('Enter')
  await row(2).pressSequentially(CALLBACK)
  await page.getByText('Is the same as number 1').waitFor()
  expect(await save.isDisabled()).toBe(true)
  await row(2).fill('http://app.example.com/callback')
  await page.getByText('Must use https: http is for 127.0.0.1').waitFor()
  await row(2).fill('')
  await row(2).press('Backspace')
  await row(2).waitFor({ state: 'detached' })

  // Several lines at once, as they are copied out of a file.
  await row(1).press('Enter')
  await page.evaluate(() =>
    navigator.clipboard.writeText('com.example.app:/callback\nhttps://app.example.com/back\n'),
  )
  await row(2).press('ControlOrMeta+V')
  expect(await row(3).inputValue()).toBe('https://app.example.com/back')

  // What only the server knows is said at its row as well.
  await row(3).fill('facetime:someone')
  await save.click()
  await page.getByText('Must not use the scheme "facetime:"', { exact: true }).waitFor()
  await row(3).fill('https://app.example.com/back')
  await save.click()
  await page.getByText('All changes saved.').waitFor()
  const { redirect_uris: saved } = await stored(id)
  expect(saved).toEqual([CALLBACK, 'com.example.app:/callback', 'https://app.example.com/back'])
  expect(seat.complaints).toEqual([])
})

it('keeps what was changed between tabs, asks before it is left, and saves only that', async () => {
  const { client_id: id } = await registerClient({ scope: 'read' })
  await using seat = await visit(`/oauth2/clients/${id}`)
  const { page } = seat
  const name = `renamed ${crypto.randomUUID()}`
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('tab', { name: 'Tokens' }).click()
  await page.getByLabel('Access tokens', { exact: true }).fill('90')
  await page.getByText('1 hour 30 minutes').waitFor()
  await page.getByRole('button', { name: 'Save tokens' }).click()
  await page.getByText('All changes saved.').waitFor()

  await page.getByRole('link', { name: 'Clients', exact: true }).last().click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe(name)
  // Somebody else changes another field meanwhile: neither change is lost.
  await dashboard('PUT', `/clients/${id}`, { scope: 'read write' })
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect
    .poll(async () => {
      const again = page.getByText('Somebody else has changed it')
      if (await again.isVisible()) await page.getByRole('button', { name: 'Save changes' }).click()
      return await stored(id)
    })
    .toMatchObject({ client_name: name, scope: 'read write', access_token_ttl: 5_400 })
  await page.getByText(`“${name}” is saved`).first().waitFor()
  await page.getByText('All changes saved.').waitFor()
  await page.getByRole('link', { name: 'Clients', exact: true }).last().click()
  await page.getByLabel('Search clients').waitFor()
  expect(seat.complaints).toEqual([])
})

it('shows a combination that the server refuses at its field', async () => {
  const { client_id: id } = await registerClient({ redirect_uris: [CALLBACK, 'http://localhost:5999/other'] })
  await using seat = await visit(`/oauth2/clients/${id}`)
  const { page } = seat
  await page.getByRole('radio', { name: /^Pairwise/ }).click()
  await page.getByRole('button', { name: 'Save changes' }).click()
  const why = 'subject_type pairwise needs it for a client with several redirect URIs'
  await page.getByText(why, { exact: true }).waitFor()
  await page.getByRole('alert').getByText(`sector_identifier_uri: ${why}`).waitFor()
  expect(seat.complaints).toEqual([])
})

it('gives a public client its first secret', async () => {
  const { client_id: id } = await registerClient({
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  })
  await using seat = await visit(`/oauth2/clients/${id}?tab=credentials`)
  const { page } = seat
  await page.getByText('A public client has no secret').waitFor()
  await page.getByRole('button', { name: 'Make it confidential' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Make it confidential' }).click()
  const secret = await page.getByRole('button', { name: /^Copy Client secret/ }).textContent()
  expect(secret).toMatch(/^\w{43}$/)
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('button', { name: 'Rotate secret' }).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(seat.complaints).toEqual([])
})
