import { expect, it, vi } from 'vitest'
import { Declarations } from '../../../src/features/permissions/declarations.ts'
import { readPermissionState } from '../../../src/features/status/permission-state.ts'

const FILE = {
  text: '',
  declarations: new Declarations({
    namespaces: [
      { name: 'User', relations: [], permits: [] },
      { name: 'Project', relations: [], permits: [] },
    ],
  }),
}

async function stateWith(answer: () => Response) {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const permissionRead = {
    name: 'permission_server',
    variable: 'PERMISSION_READ_URL',
    baseUrl: 'http://p',
    fetch: async () => answer(),
  } as const
  return await readPermissionState({ upstreams: { permissionRead }, permissionFile: FILE })
}

it('is no problem where no permission server is set up', async () => {
  const permissionRead = { name: 'permission_server', variable: 'X', baseUrl: undefined, fetch } as const
  const state = await readPermissionState({ upstreams: { permissionRead }, permissionFile: FILE })
  expect(state).toEqual({ state: 'off', latencyMs: null, missingNamespaces: null, problems: [] })
})

it('is well where the server knows the namespaces of the permission file', async () => {
  const answer = () =>
    Response.json({ namespaces: [{ name: 'Project' }, { name: 'User' }, { name: 'More' }] })
  expect(await stateWith(answer)).toMatchObject({ state: 'up', missingNamespaces: [], problems: [] })
})

it('names the namespaces that the server lacks', async () => {
  const state = await stateWith(() => Response.json({ namespaces: [{ name: 'User' }] }))
  expect(state).toMatchObject({ state: 'up', missingNamespaces: ['Project'] })
  expect(state.problems).toEqual([expect.stringContaining('does not know Project')])
})

it.each([
  ['a page', () => new Response('<html>'), 'does not understand'],
  ['a refusal', () => new Response('', { status: 401 }), 'refused'],
  ['a failure', () => new Response('', { status: 500 }), 'does not answer'],
])('is down where the server answers %s', async (_what, answer, words) => {
  const state = await stateWith(answer)
  expect(state).toMatchObject({ state: 'down', missingNamespaces: null })
  expect(state.problems).toEqual([expect.stringContaining(words)])
})
