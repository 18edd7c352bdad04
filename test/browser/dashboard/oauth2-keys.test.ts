// Signing keys: added, removed and rotated from the page.

import type { Page, Route } from 'playwright-core'
import { beforeAll, expect, inject, it } from 'vitest'
import { dashboard } from '../../support/applications.ts'
import { goTo } from './pages.ts'
import { lastCopied, visit } from './visitor.ts'

interface Key {
  kid: string
  algorithm: string
  use: string
  public_jwk: Record<string, unknown>
}

// The server makes its first RSA keys when somebody asks. On a busy machine that takes longer than Quoin waits.
beforeAll(async () => {
  await fetch(`${inject('stack').oauth_public_url}/.well-known/jwks.json`)
})

const ERROR = { error: 'No.', code: 'forbidden', detail: null, hint: null, request_id: 'r' }

const newSet = () => `browser-${crypto.randomUUID()}`
const keysOf = (set: string) => dashboard<Key[]>('GET', `/keys/${set}`)
const addTo = (set: string, algorithm = 'ES256') =>
  dashboard<Key>('POST', '/keys', { set_id: set, algorithm, use: 'sig' })

it('adds a key to a set that is typed, and removes it by its name', async () => {
  const set = newSet()
  await using seat = await visit('/oauth2/keys')
  const { page } = seat
  await page.getByRole('tab', { name: 'Another set' }).click()
  await page.getByLabel('Name of the set').fill(set)
  await page.keyboard.press('Enter')
  await page.getByText('No keys in this set yet').waitFor()
  expect(new URL(page.url()).searchParams.get('set')).toBe(set)

  await page.getByRole('button', { name: 'Add key' }).click()
  await page.getByRole('combobox', { name: 'Algorithm' }).click()
  await page.getByRole('option', { name: /^ES384/ }).click()
  await page.getByRole('radio', { name: /^enc/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add key' }).click()
  await expect.poll(() => keysOf(set).catch(() => [])).toMatchObject([{ algorithm: 'ES384', use: 'enc' }])
  const [key] = await keysOf(set)
  const kid = key?.kid ?? ''

  await page.getByRole('button', { name: 'Algorithm' }).click()
  await page.getByRole('link', { name: kid }).click()
  const { search } = new URL(page.url())
  expect(Object.fromEntries(new URLSearchParams(search))).toEqual({ set, sort: 'algorithm.asc', kid })
  const panel = page.getByRole('dialog')
  await panel.getByText('"P-384"').waitFor()
  await panel.getByRole('button', { name: 'Remove key' }).click()
  const confirm = page.getByRole('dialog').last().getByRole('button', { name: 'Remove key' })
  expect(await confirm.isDisabled()).toBe(true)
  await page.getByLabel(`Type ${kid} to confirm`).fill(kid)
  await confirm.click()
  await page.getByText('No keys in this set yet').waitFor()
  await expect(keysOf(set)).rejects.toThrow('404')

  // The address of a key that is gone, and one that somebody has broken.
  await goTo(page, `/oauth2/keys${search}`)
  await panel.getByText('has no such key').waitFor()
  await panel.getByRole('button', { name: 'Close' }).click()
  await goTo(page, '/oauth2/keys?set={"a":1}')
  await page.getByLabel('Name of the set').waitFor()
  expect(seat.complaints).toEqual([])
})

const SERVER_SET = 'hydra.jwt.access-token'

/**
 * Has the page see `set` where it asks for the server's own, and its keys in the JWKS. A real rotation would end what
 * tests beside this one hold: the server reads only what its newest key signed.
 */
async function standIn(page: Page, set: string): Promise<void> {
  const answerWith = async (route: Route, change: (text: string) => string | Promise<string>) => {
    const request = route.request()
    const body = request.postData()?.replaceAll(SERVER_SET, set)
    const response = await route.fetch({
      url: request.url().replaceAll(SERVER_SET, set),
      ...(body === undefined ? {} : { postData: body }),
    })
    await route.fulfill({ response, body: await change(await response.text()) })
  }
  await page.route('**/api/oauthsrv/keys**', route =>
    answerWith(route, text => text.replaceAll(set, SERVER_SET)),
  )
  await page.route('**/api/oauthsrv/keys/**', route =>
    answerWith(route, text => text.replaceAll(set, SERVER_SET)),
  )
  await page.route('**/api/oauthsrv/jwks', route =>
    answerWith(route, async text => {
      const { keys } = JSON.parse(text) as { keys: unknown[] }
      return JSON.stringify({ keys: [...keys, ...(await keysOf(set)).map(key => key.public_jwk)] })
    }),
  )
}

it('guides through a rotation: add, wait, remove', async () => {
  const set = newSet()
  const old = await addTo(set)
  await using seat = await visit('/oauth2/tokens')
  const { page } = seat
  await standIn(page, set)
  await page.goto(new URL(`/oauth2/keys?${new URLSearchParams({ set: SERVER_SET })}`, page.url()).href)
  // The one key that signs stays.
  await page.getByRole('link', { name: old.kid }).click()
  expect(await page.getByRole('button', { name: 'Remove key' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Close' }).click()

  await page.getByRole('button', { name: 'Rotate key' }).click()
  await page.getByText('Introspection and userinfo refuse JWTs from before').waitFor()
  await page.getByRole('button', { name: 'Add new key' }).click()
  await page.getByText('The new key is in the public keys').waitFor()
  const [added] = await keysOf(set)
  await page.getByRole('row', { name: new RegExp(`${added?.kid}.*Signs`) }).waitFor()
  await page.getByRole('row', { name: new RegExp(`${old.kid}.*Verifies`) }).waitFor()
  await page.getByText(/The last old token ends in /).waitFor()

  // Where it stands follows from the keys: a colleague who opens the address sees the same.
  await page.route('**/api/oauthsrv/clients', route => route.fulfill({ status: 403, json: ERROR }))
  await page.goto(new URL(`/oauth2/keys?${new URLSearchParams({ set: SERVER_SET })}`, page.url()).href)
  await page.getByText('How long tokens live is not known').waitFor()
  await page.unroute('**/api/oauthsrv/clients')
  await page.getByRole('button', { name: 'Remove old key' }).click()
  await page
    .getByRole('dialog')
    .getByText(/Its last token ends in /)
    .waitFor()
  await page.getByLabel(`Type ${old.kid} to confirm`).fill(old.kid)
  await page.getByRole('dialog').getByRole('button', { name: 'Remove key' }).click()
  await page.getByText('The rotation is done').waitFor()
  expect((await keysOf(set)).map(key => key.kid)).toEqual([added?.kid])
  expect(seat.complaints).toEqual([])
})

it('shows keys to a member, and says who may change them', async () => {
  await using seat = await visit('/oauth2/tokens', { who: 'user' })
  const { page } = seat
  // As on the first day: the server makes its keys when somebody asks for the public ones.
  const isEmpty = Promise.withResolvers<void>()
  await page.route(
    '**/api/oauthsrv/keys/*',
    async route => {
      await route.fulfill({ status: 404, json: { ...ERROR, code: 'not_found' } })
      isEmpty.resolve()
    },
    { times: 1 },
  )
  await page.route('**/api/oauthsrv/jwks', async route => {
    await isEmpty.promise
    await route.continue()
  })
  await goTo(page, '/oauth2/keys?rotate=true')
  await page.getByRole('table').waitFor()
  for (const name of ['Add key', 'Rotate key'])
    expect(await page.getByRole('button', { name, exact: true }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Rotate key' }).hover({ force: true })
  await page.getByText('Only administrators may change signing keys').waitFor()
  await page.getByRole('button', { name: 'Copy JWKS' }).click()
  const copied = JSON.parse(await lastCopied(page)) as { keys: unknown[] }
  expect(copied.keys.length).toBeGreaterThan(0)
  expect(seat.complaints).toEqual([])
})
