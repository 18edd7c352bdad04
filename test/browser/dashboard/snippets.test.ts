// Snippets are run as they are copied from the page.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { PROJECT_DIR } from '../../../cli/support/project.ts'
import { registerClient } from '../../support/applications.ts'
import { lastCopied, visit } from './visitor.ts'

const run = promisify(execFile)

/** What the copy button takes. */
async function copied(page: Page, file: string): Promise<string> {
  await page.getByRole('button', { name: `Copy ${file}` }).click()
  await page.getByText('Copied').first().waitFor()
  return await lastCopied(page)
}

it('shows programs that get a token as they are', async () => {
  const { client_id: id, client_secret: secret = '' } = await registerClient({ scope: "openid read it's" })
  await using seat = await visit(`/oauth2/snippets?client=${id}&flow=machine`)
  const { page } = seat
  const options = { cwd: PROJECT_DIR, env: { PATH: process.env['PATH'], CLIENT_SECRET: secret } }

  const shell = await copied(page, 'token.sh')
  const { stdout: ofShell } = await run('sh', ['-c', shell], options)
  expect(JSON.parse(ofShell)).toMatchObject({ access_token: expect.any(String), scope: "read it's" })

  await page.getByRole('tab', { name: 'Node' }).click()
  const script = await copied(page, 'token.mjs')
  const { stdout: ofNode } = await run(process.execPath, ['--input-type=module', '-e', script], options)
  expect(ofNode).toMatch(/access_token: '\S+'/)

  expect(await page.content()).not.toContain(secret)
  expect(new URL(page.url()).searchParams.get('language')).toBe('node')
  expect(seat.complaints).toEqual([])
})

it('finds a client by its name, and says what a browser cannot do', async () => {
  const name = `snippets ${crypto.randomUUID()}`
  await registerClient({ client_name: name })
  await using seat = await visit('/oauth2/snippets?language=browser')
  const { page } = seat
  await page.getByRole('combobox', { name: 'Client' }).click()
  await page.getByPlaceholder('Name or id').fill(name)
  await page.getByRole('option', { name }).click()
  await page.getByText('a browser cannot keep one').waitFor()
  await page.getByRole('combobox', { name: 'Grant' }).click()
  await page.getByRole('option', { name: 'Client credentials' }).click()
  await page.getByText('Client credentials is not for browsers').waitFor()
  expect(seat.complaints).toEqual([])
})
