import { expect, test } from 'vitest'
import { readOptions } from '../../../local/options.ts'

const READ_URL = 'http://127.0.0.1:1'
const WRITE_URL = 'http://127.0.0.1:2'

test('a permission server that runs elsewhere is named by both of its addresses, with or without a token', () => {
  const env = { PERMISSION_READ_URL: READ_URL, PERMISSION_WRITE_URL: WRITE_URL }
  const server = { readUrl: READ_URL, writeUrl: WRITE_URL, adminToken: undefined, syntaxUrl: undefined }
  expect(readOptions([], env)?.outsidePermissionServer).toEqual(server)
  expect(readOptions([], { ...env, PERMISSION_ADMIN_TOKEN: 'token' })?.outsidePermissionServer).toEqual({
    ...server,
    adminToken: 'token',
  })
  expect(readOptions([], {})?.outsidePermissionServer).toBeUndefined()
})

test.each([
  ['OAUTH_PUBLIC_URL', 'OAUTH_ADMIN_URL'],
  ['IDENTITY_PUBLIC_URL', 'IDENTITY_ADMIN_URL'],
  ['PERMISSION_READ_URL', 'PERMISSION_WRITE_URL'],
])('half of a server that runs elsewhere is refused, with both names: %s, %s', (first, second) => {
  for (const name of [first, second])
    expect(() => readOptions([], { [name]: READ_URL })).toThrow(`set ${first} and ${second} together`)
})

test('a permission server of the stack has three ports, each with its variable', () => {
  expect(readOptions([], {})?.ports).toMatchObject({
    permissionRead: 4466,
    permissionWrite: 4467,
    permissionSyntax: 4469,
  })
  const env = {
    QUOIN_PERMISSION_READ_PORT: '1001',
    QUOIN_PERMISSION_WRITE_PORT: '1002',
    QUOIN_PERMISSION_SYNTAX_PORT: '1003',
  }
  expect(readOptions([], env)?.ports).toMatchObject({
    permissionRead: 1001,
    permissionWrite: 1002,
    permissionSyntax: 1003,
  })
})

test('a stack watches for edits, on free ports too, unless it is told not to', () => {
  expect([[], ['--free-ports'], ['--no-watch']].map(args => readOptions(args, {})?.watches)).toEqual([
    true,
    true,
    false,
  ])
})
