// Storage: a bucket from its making to its end, with files that are dropped, looked at, renamed, replaced and deleted.

import type { Page } from 'playwright-core'
import { afterAll, expect, inject, it } from 'vitest'
import { fitsItsWidth } from '../people.ts'
import { contrastProblems } from './axe.ts'
import { lastCopied, PHONE, visit } from './visitor.ts'

const stack = inject('stack')
const p = `b${crypto.randomUUID().slice(0, 8)}`

async function asAdmin(method: string, path: string, body?: object | string): Promise<Response> {
  const headers = {
    cookie: stack.session_cookie_admin ?? '',
    'content-type': typeof body === 'string' ? 'text/plain' : 'application/json',
  }
  const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  return await fetch(`${stack.base_url}/api/storage${path}`, { method, headers, body: sent ?? null })
}

async function makeBucket(name: string, settings: object = {}): Promise<void> {
  const answer = await asAdmin('POST', '/buckets', { name, ...settings })
  expect(answer.status, await answer.text()).toBe(201)
}

const put = (bucket: string, name: string, text: string) =>
  asAdmin('PUT', `/objects/${bucket}/${encodeURIComponent(name)}`, text)

async function textOf(bucket: string, name: string): Promise<string> {
  const answer = await asAdmin('GET', `/objects/${bucket}/${encodeURIComponent(name)}`)
  return answer.ok ? await answer.text() : String(answer.status)
}

afterAll(async () => {
  const { data } = (await (await asAdmin('GET', '/buckets?limit=1000')).json()) as { data: { id: string }[] }
  for (const { id } of data.filter(bucket => bucket.id.startsWith(p))) {
    await asAdmin('POST', `/buckets/${id}/empty`)
    await asAdmin('DELETE', `/buckets/${id}`)
  }
})

/** A drawing with a script, which must not run. */
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="80"><rect width="120" height="80"/>' +
  '<script>top.document.title = "ran"</script></svg>'
const HTML = '<script>document.title = "ran"</script>'

async function drop(page: Page, files: { name: string; type: string; text: string }[]): Promise<void> {
  const dataTransfer = await page.evaluateHandle(dropped => {
    const transfer = new DataTransfer()
    for (const { name, type, text } of dropped) transfer.items.add(new File([text], name, { type }))
    return transfer
  }, files)
  const place = page.getByRole('navigation', { name: 'Folders' })
  await place.dispatchEvent('dragenter', { dataTransfer })
  await page.getByText('Drop to upload into').waitFor()
  await place.dispatchEvent('drop', { dataTransfer })
}

const row = (page: Page, name: string) => page.getByRole('row', { name })
const dialogOf = (page: Page, title: string | RegExp) => page.getByRole('dialog', { name: title })

it('makes a bucket, takes files that are dropped, and shows, renames, deletes and empties them', async () => {
  const bucket = `${p} files`
  await using seat = await visit('/storage?create=true')
  const { page } = seat
  const creating = dialogOf(page, 'Create bucket')
  await creating.getByLabel('Name').fill('a/b')
  await creating.getByRole('button', { name: 'Create bucket' }).click()
  await creating.getByRole('alert').getByText('Bucket name invalid').waitFor()
  await creating.getByLabel('Name').fill(bucket)
  await creating.getByRole('button', { name: 'Create bucket' }).click()
  await page.getByRole('heading', { name: bucket, level: 1 }).waitFor()
  await page.getByText('No files yet').waitFor()

  await page.goto(`${page.url()}?folder=${encodeURIComponent('名前 50%/')}`)
  await page.getByText('No files in this folder').waitFor()
  await drop(page, [
    { name: 'drawing.svg', type: 'image/svg+xml', text: SVG },
    { name: 'page.html', type: 'text/html', text: HTML },
  ])
  await page.getByText('2 of 2 uploaded').waitFor()
  expect(await textOf(bucket, '名前 50%/page.html')).toBe(HTML)

  // Nothing of it runs: a drawing is a picture, a page its source.
  await row(page, 'drawing.svg').getByRole('link').click()
  const picture = page.getByRole('img', { name: 'Preview of drawing.svg' })
  await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(120)
  await page.keyboard.press('Escape')
  await row(page, 'page.html').getByRole('link').click()
  const opened = dialogOf(page, 'page.html')
  await opened.getByText(HTML).waitFor()
  expect(await page.title()).not.toBe('ran')
  expect(await contrastProblems(page)).toEqual([])
  const href = (await opened.getByRole('link', { name: 'Download' }).getAttribute('href')) ?? ''
  const saved = await fetch(href, { headers: { cookie: stack.session_cookie_admin ?? '' } })
  expect(saved.headers.get('content-disposition')).toContain('attachment; filename="page.html"')

  await opened.getByRole('button', { name: 'Create link' }).click()
  await dialogOf(page, /^Create link/)
    .getByRole('button', { name: 'Create link' })
    .click()
  const made = dialogOf(page, 'Link for 1 hour')
  await made.getByRole('button', { name: /^Copy link to/ }).click()
  const linked = await fetch(await lastCopied(page))
  expect(await linked.text()).toBe(HTML)
  await made.getByRole('button', { name: 'Close' }).click()

  await opened.getByRole('button', { name: 'Move or rename' }).click()
  const moving = dialogOf(page, /^Move or rename/)
  await moving.getByLabel('Name').fill('名前 50%/drawing.svg')
  await moving.getByRole('button', { name: 'Move file' }).click()
  await moving.getByRole('alert').getByText('There is a file of this name already.').waitFor()
  await moving.getByLabel('Name').fill('名前 50%/renamed.html')
  await moving.getByRole('button', { name: 'Move file' }).click()
  await opened.waitFor({ state: 'detached' })
  await row(page, 'renamed.html').getByRole('link').click()
  await page.getByRole('button', { name: 'Copy to' }).click()
  const copying = dialogOf(page, /^Copy/)
  await copying.getByLabel('Name', { exact: true }).fill('top.html')
  await copying.getByRole('button', { name: 'Copy file' }).click()
  await copying.waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  expect(await textOf(bucket, 'top.html')).toBe(HTML)

  await page.getByRole('checkbox', { name: 'Select renamed.html' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const deleting = dialogOf(page, /^Delete .*renamed/)
  await deleting.getByRole('button', { name: 'Delete 1 file' }).click()
  await deleting.waitFor({ state: 'detached' })
  await row(page, 'renamed.html').waitFor({ state: 'detached' })
  expect(await textOf(bucket, '名前 50%/renamed.html')).toBe('404')

  await page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: bucket }).click()
  await row(page, '名前 50%/').waitFor()
  await row(page, 'top.html').waitFor()
  await page.setViewportSize(PHONE)
  expect(await fitsItsWidth(page)).toBe(true)
  const ask = async (action: 'Empty bucket' | 'Delete bucket') => {
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: action }).click()
    const asking = dialogOf(page, `${action} “${bucket}”?`)
    await asking.getByLabel(`Type ${bucket} to confirm`).fill(bucket)
    await asking.getByRole('button', { name: action }).click()
    return asking
  }
  const refused = await ask('Delete bucket')
  await refused.getByText('There are files in the bucket.').waitFor()
  await refused.getByRole('button', { name: 'Cancel' }).click()
  await ask('Empty bucket')
  await page.getByText('No files yet').waitFor()
  await ask('Delete bucket')
  await page.getByRole('heading', { name: 'Storage', level: 1 }).waitFor()
  expect((await asAdmin('GET', `/buckets/${encodeURIComponent(bucket)}`)).status).toBe(404)
  expect(seat.complaints).toEqual([])
})

it('asks before a file is replaced, and says at each file why it was not taken', async () => {
  const bucket = `${p}-small`
  await makeBucket(bucket, { file_size_limit: 2_048, allowed_mime_types: ['text/plain'] })
  await put(bucket, 'notes.txt', 'old')
  await put(bucket, 'list.txt', 'old')
  await using seat = await visit(`/storage/${bucket}`)
  const { page } = seat
  await row(page, 'notes.txt').waitFor()
  const text = (name: string, content: string) => ({
    name,
    mimeType: name.endsWith('.txt') ? 'text/plain' : 'image/png',
    buffer: Buffer.from(content),
  })
  await page
    .getByLabel('Files to upload')
    .setInputFiles([
      text('notes.txt', 'new'),
      text('list.txt', 'new'),
      text('long.txt', 'x'.repeat(3_000)),
      text('a.png', 'picture'),
    ])
  const uploads = page.getByRole('region', { name: 'Uploads' })
  await uploads.getByText('0 of 4 uploaded, 2 there already').waitFor()
  await uploads.getByText('It has 2.9 KiB; this bucket takes files of at most 2 KiB.').waitFor()
  await uploads.getByText('Its type is image/png; this bucket takes text/plain.').waitFor()
  // Until somebody says so, what is there stays.
  expect(await textOf(bucket, 'notes.txt')).toBe('old')
  await uploads.getByRole('button', { name: 'Skip list.txt' }).click()
  await uploads.getByRole('button', { name: 'Replace notes.txt' }).click()
  await uploads.getByText('1 of 3 uploaded').waitFor()
  expect(await textOf(bucket, 'notes.txt')).toBe('new')
  expect(await textOf(bucket, 'list.txt')).toBe('old')
  expect(await contrastProblems(page)).toEqual([])
  await uploads.getByRole('button', { name: 'Clear finished' }).click()
  await uploads.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Change', exact: true }).click()
  const changing = dialogOf(page, /^Change bucket/)
  await changing.getByRole('switch', { name: 'Public' }).click()
  await changing.getByText('All files in it become readable by anyone').waitFor()
  await changing.getByRole('button', { name: 'Change bucket' }).click()
  await page.getByText('Public: whoever knows the name of a file reads it.').waitFor()
  await row(page, 'notes.txt').getByRole('link').click()
  const address = page.getByRole('button', { name: /^Copy public address/ })
  const answer = await fetch((await address.textContent()) ?? '')
  expect(await answer.text()).toBe('new')
  expect(seat.complaints).toEqual([])
})

it('moves and deletes a folder with all that is below it, and says when the bucket itself is gone', async () => {
  const bucket = `${p}-folders`
  await makeBucket(bucket)
  for (const name of ['a/one.txt', 'a/b/two.txt', 'ab/three.txt']) await put(bucket, name, 'text')
  await using seat = await visit(`/storage/${bucket}`)
  const { page } = seat
  await page.getByRole('checkbox', { name: 'Select a', exact: true }).click()
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  const moving = dialogOf(page, 'Move 2 files')
  await moving.getByLabel('Folder').fill('a/b')
  await moving.getByText('A folder cannot go into itself.').waitFor()
  await moving.getByLabel('Folder').fill('/old/')
  await moving.getByRole('button', { name: 'Move files' }).click()
  await row(page, 'old/').getByRole('link').click()
  await row(page, 'a/').waitFor()
  expect(await textOf(bucket, 'old/a/b/two.txt')).toBe('text')

  await page.getByRole('checkbox', { name: 'Select a', exact: true }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const deleting = dialogOf(page, 'Delete “old/a/”?')
  await deleting.getByText('In 1 folder, with the folders below: 2 files.').waitFor()
  await deleting.getByRole('button', { name: 'Delete 2 files' }).click()
  await page.getByText('No files in this folder').waitFor()
  expect(await textOf(bucket, 'old/a/b/two.txt')).toBe('404')
  expect(await textOf(bucket, 'ab/three.txt')).toBe('text')

  // A file that is dropped beside the list must not take the page's place.
  const isKept = await page.evaluate(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['text'], 'a.txt'))
    const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
    return !document.body.dispatchEvent(drop)
  })
  expect(isKept).toBe(true)

  await asAdmin('POST', `/buckets/${bucket}/empty`)
  await asAdmin('DELETE', `/buckets/${bucket}`)
  const file = { name: 'late.txt', mimeType: 'text/plain', buffer: Buffer.from('late') }
  await page.getByLabel('Files to upload').setInputFiles([file])
  await page.getByText('Bucket not found').waitFor()
  expect(seat.complaints).toEqual([])
})

it('says in words which policies guard the files of a bucket', async () => {
  const bucket = `${p}-guarded`
  await makeBucket(bucket)
  await using seat = await visit(`/storage/${bucket}?tab=policies`)
  const access = seat.page.getByRole('region', { name: 'Access to files' })
  await access.getByRole('row', { name: /Upload .*policies do not hold for this role/ }).waitFor()
  await using member = await visit(`/storage/${bucket}`, { who: 'user' })
  await member.page.getByText(/: for administrators only$/).waitFor()
})
