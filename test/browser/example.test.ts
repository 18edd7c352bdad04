// The example that the README walks through: a page that signs somebody in and shows that person's own rows.

import { createRequire } from 'node:module'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { createServer, type ViteDevServer } from 'vite'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { PROJECT_DIR } from '../../cli/support/project.ts'
import { freePort } from '../../local/ports.ts'
import { makePerson, type Person, registerClient } from '../support/applications.ts'
import { makeKey } from '../support/keys.ts'
import { connectOwner } from '../support/postgres.ts'
import { connectBrowser } from '../support/shared-browser.ts'
import { onBridge, signIn } from './people.ts'

let browser: Browser
let server: ViteDevServer
let url: string

beforeAll(async () => {
  await createNotes()
  browser = await connectBrowser()
  const port = await freePort()
  url = `http://127.0.0.1:${port}/`
  await setVariables()
  server = await createServer({
    root: `${PROJECT_DIR}/examples/notes`,
    server: { host: '127.0.0.1', port, strictPort: true },
    cacheDir: `${PROJECT_DIR}/node_modules/.cache/quoin-example`,
    logLevel: 'error',
  })
  await server.listen()
})

afterAll(async () => {
  vi.unstubAllEnvs()
  await Promise.all([server?.close(), browser?.close()])
})

async function createNotes(): Promise<void> {
  await using owner = await connectOwner()
  const statements: string[] = []
  const { up } = createRequire(import.meta.url)('../../examples/notes/0001_create-notes.cjs')
  up({ sql: (text: string) => statements.push(text) })
  await owner.query('drop table if exists notes')
  for (const statement of statements) await owner.query(statement)
}

/** The client is what the README registers; the page reads the variables when its server starts. */
async function setVariables(): Promise<void> {
  const { base_url, oauth_public_url } = inject('stack')
  const { client_id } = await registerClient({
    client_name: 'Notes',
    token_endpoint_auth_method: 'none',
    scope: 'openid offline_access profile email',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    redirect_uris: [url],
    access_token_strategy: 'jwt',
  })
  vi.stubEnv('VITE_API', base_url)
  vi.stubEnv('VITE_ISSUER', oauth_public_url ?? '')
  vi.stubEnv('VITE_ANON_KEY', (await makeKey('anon')).key)
  vi.stubEnv('VITE_CLIENT_ID', client_id)
}

async function openAndSignIn(context: BrowserContext, person: Person): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await signIn(page, person)
  await onBridge(page, 'consent')
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  return page
}

it('signs two people in, and shows each their own notes alone', async () => {
  for (const note of ['milk', 'bread']) {
    // Without the headers that a test's browser sends of its own: a page of another origin must not need them.
    await using context = await browser.newContext()
    const person = await makePerson()
    const page = await openAndSignIn(context, person)
    await page.getByText(`Signed in as ${person.email}.`).waitFor()
    await page.getByLabel('New note').fill(note)
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByRole('listitem').first().waitFor()
    expect(await page.getByRole('listitem').allTextContents()).toEqual([note])
  }
})

it('shows a note that somebody writes elsewhere, to the same person alone', async () => {
  await using here = await browser.newContext()
  await using there = await browser.newContext()
  await using elsewhere = await browser.newContext()
  const [person, other] = [await makePerson(), await makePerson()]
  const pages = [
    await openAndSignIn(here, person),
    await openAndSignIn(there, person),
    await openAndSignIn(elsewhere, other),
  ] as const
  for (const page of pages) await page.getByText('Live.', { exact: true }).waitFor()
  const [writing, watching, foreign] = pages
  const notes = (page: Page) => page.getByRole('listitem').allTextContents()
  await writing.getByLabel('New note').fill('milk')
  await writing.getByRole('button', { name: 'Add' }).click()
  await expect.poll(() => notes(watching)).toEqual(['milk'])
  // A later one of the other person's own has come by then: the first never did.
  await foreign.getByLabel('New note').fill('bread')
  await foreign.getByRole('button', { name: 'Add' }).click()
  await expect.poll(() => notes(foreign)).toEqual(['bread'])
})

it('says what is wrong where the table was not made', async () => {
  await using owner = await connectOwner()
  await owner.query('drop table notes')
  await using context = await browser.newContext()
  const page = await openAndSignIn(context, await makePerson())
  await page.getByText(/That did not work: .*notes.* does not exist/).waitFor()
})
