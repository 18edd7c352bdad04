// Who can access: the graph and the matrix share what is chosen, the chain is said in words, and a link goes only after
// it is known who loses what.

import { expect, inject, it } from 'vitest'
import { fitsItsWidth } from '../people.ts'
import { PHONE, visit } from './visitor.ts'

const { base_url, dashboard_url, session_cookie_admin } = inject('stack')

/** With the session of the administrator, as the page itself would. */
async function ask(path: string, body: unknown): Promise<Record<string, unknown>> {
  const answer = await fetch(`${base_url}/api/permsrv${path}`, {
    method: 'POST',
    headers: {
      cookie: session_cookie_admin ?? '',
      origin: dashboard_url,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })
  expect(answer.status).toBe(200)
  return (await answer.json()) as Record<string, unknown>
}

/** Ann is an admin, ben a member by himself and through the admins; olga owns the project herself. */
async function makeProject() {
  const [project, team] = [`apollo-${crypto.randomUUID()}`, `acme-${crypto.randomUUID()}`]
  const tuples = [
    `Project:${project}#owner@Organization:${team}#admin`,
    `Project:${project}#owner@olga`,
    `Project:${project}#viewer@ben`,
    `Organization:${team}#admin@ann`,
    `Organization:${team}#admin@ben`,
    `Organization:${team}#admin@<i>ida</i>`,
  ]
  await ask('/relation-tuples/import', { tuples })
  return { project, team, membership: `Organization:${team}#admin@ben`, grant: tuples[0] ?? '' }
}

it('shows people in graph and matrix, says a chain in words, and removes a link after its losses', async () => {
  const { project, team, membership, grant } = await makeProject()
  await using seat = await visit('/permissions/who-can-access')
  const { page } = seat
  await page.getByLabel('Object').fill(project)
  await page.getByLabel('Object').press('Enter')
  await page.getByText(`4 people and 1 group have something on Project ${project}.`).waitFor()

  const graph = page.getByRole('region', { name: `Graph of ${project}` })
  const matrix = page.getByRole('region', { name: 'Who has which relation and permit' })
  const why = page.getByRole('region', { name: 'Why' })
  // The group is open: the graph has people behind it. Then it closes.
  const members = graph.getByRole('button', { name: `Members of admins of ${team}` })
  await graph.getByRole('button', { name: 'ann', exact: true }).waitFor()
  await graph.getByRole('button', { name: '<i>ida</i>' }).waitFor()
  expect(await members.getAttribute('aria-expanded')).toBe('true')
  await members.press('Enter')
  await graph.getByRole('button', { name: 'ann', exact: true }).waitFor({ state: 'detached' })
  await members.press('Enter')

  await graph.getByRole('button', { name: 'ann', exact: true }).press('Enter')
  await why.getByText(`ann is admin of ${team}, whose admins are owners of ${project}.`).waitFor()
  const mark = (name: string) => matrix.getByRole('button', { name: new RegExp(`^Why ${name}(:|$)`) })
  expect(await mark('ann has owner').getAttribute('aria-pressed')).toBe('true')
  await mark('ben has view').click()
  await expect.poll(() => new URL(page.url()).searchParams.get('subject')).toBe('ben')
  expect(
    await graph.getByRole('button', { name: 'ben', exact: true }).first().getAttribute('aria-pressed'),
  ).toBe('true')

  // Ben keeps `view` by a tuple of his own: the server is asked what would be left.
  await mark('ben has edit').click()
  await why.getByRole('button', { name: `Remove ${membership}` }).click()
  const dialog = page.getByRole('dialog')
  const row = (name: string) => dialog.getByRole('row', { name })
  await row('ben').waitFor()
  expect((await row('ben').getByRole('cell').allTextContents()).slice(1)).toEqual([
    'owner, edit',
    'viewer, view',
  ])
  await dialog.getByText('1 subject would lose something').waitFor()
  await dialog.getByText(`The tuple is about ${team}`).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await why.getByRole('button', { name: `Remove ${grant}` }).click()
  await dialog.getByText('4 subjects would lose something').waitFor()
  expect((await row('ann').getByRole('cell').allTextContents()).slice(1)).toEqual([
    'owner, edit, view',
    'nothing',
  ])
  await dialog.getByRole('button', { name: 'Remove link' }).click()
  await page.getByText(`2 people have something on Project ${project}.`).waitFor()
  await why.getByText('No.', { exact: true }).waitFor()
  const { allowed } = await ask('/check', `Project:${project}#view@ann`)
  expect(allowed).toBe(false)
  expect(seat.complaints).toEqual([])
})

it('says what may be missing, and where nothing was found it does not say no', async () => {
  // The permission server looks ten deep.
  const deep = Array.from({ length: 12 }, (_, n) => `deep-${n}-${crypto.randomUUID()}`)
  await ask('/relation-tuples/import', {
    tuples: [
      `Project:${deep[0]}#viewer@Organization:${deep[0]}#member`,
      `Project:${deep[0]}#owner@olga`,
      ...deep.slice(1).map((name, n) => `Organization:${deep[n]}#member@Organization:${name}#member`),
      `Organization:${deep[11]}#member@dora`,
    ],
  })
  await using seat = await visit(`/permissions/who-can-access?namespace=Project&object=${deep[0]}`)
  const { page } = seat
  await page.getByText('Somebody may be missing here').waitFor()
  await page.getByText('Relations: Groups lie in groups deeper than the permission server looks').waitFor()
  await page.getByText('At least 1 person').waitFor()
  expect(await page.getByRole('row', { name: /olga/ }).getByText('not known').count()).toBeGreaterThan(0)
  expect(seat.complaints).toEqual([])
})

it('draws a long list folded, opens it, and fits a phone', async () => {
  const project = `wide-${crypto.randomUUID()}`
  await ask('/relation-tuples/import', {
    tuples: Array.from({ length: 30 }, (_, n) => `Project:${project}#viewer@${n}`),
  })
  await using seat = await visit('/permissions/who-can-access', { viewport: PHONE })
  const { page } = seat
  await page.getByLabel('Object').fill(project)
  await page.getByLabel('Object').press('Enter')
  const graph = page.getByRole('region', { name: `Graph of ${project}` })
  await graph.getByRole('button', { name: '18 more' }).press('Enter')
  await graph.getByRole('button', { name: '29', exact: true }).waitFor()
  // A name that looks like a number stays one in the address.
  await graph.getByRole('button', { name: '29', exact: true }).press('Enter')
  await page.getByText(`29 is viewer of ${project}.`).waitFor()
  await page.reload()
  await page.getByText(`29 is viewer of ${project}.`).waitFor()
  expect(await fitsItsWidth(page)).toBe(true)
  expect(seat.complaints).toEqual([])
})
