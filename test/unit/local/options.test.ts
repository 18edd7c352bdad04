import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readOptions } from '../../../local/options.ts'
import { overruledVariables } from '../../../local/worker.ts'

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

test('a database that runs elsewhere has secrets under a key of its own, where that is said', () => {
  const outside = { DATABASE_URL: 'postgres://a/b', DATA_DATABASE_URL: 'postgres://c/b' }
  const keyOf = (env: NodeJS.ProcessEnv) => readOptions([], env)?.outsideSecretsKey
  expect(keyOf({ ...outside, SECRETS_KEY: 'key' })).toBe('key')
  expect(keyOf(outside)).toBeUndefined()
  // The local database's key is the stack's own: another one could not read what is there.
  expect(keyOf({ SECRETS_KEY: 'key' })).toBeUndefined()
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

test.each([
  [[], 'npm run dev -- --reset'],
  [['--reset', '--quiet'], 'npm run dev -- --reset'],
  [
    ['--free-ports', '--data-dir', "/tmp/a stack of Ann's"],
    "npm run dev -- --reset --free-ports --data-dir '/tmp/a stack of Ann'\\''s'",
  ],
  [['--data-dir=x', '--no-dashboard'], `npm run dev -- --reset --data-dir ${resolve('x')} --no-dashboard`],
  [['--port', '9000', '--no-watch'], 'npm run dev -- --reset --port 9000 --no-watch'],
])('the command that starts over is about the same stack: %j', (args, command) => {
  const again = readOptions(args, {})?.resetCommand ?? expect.fail()
  expect(again).toBe(command)
  const words = execFileSync('sh', ['-c', `${again.replace('npm run dev --', "printf '%s\\0'")}`], {
    encoding: 'utf8',
  })
  expect(readOptions(words.split('\0').slice(0, -1), {})).toMatchObject({
    ...readOptions(args, {}),
    reset: true,
    quiet: false,
  })
})

test('free ports and a port that was chosen contradict each other, however it was chosen', () => {
  expect(() => readOptions(['--free-ports', '--port', '9000'], {})).toThrow('--port and --free-ports')
  expect(() => readOptions(['--free-ports'], { QUOIN_LISTENER_PORT: '9000' })).toThrow(
    'QUOIN_LISTENER_PORT and --free-ports contradict each other',
  )
})

test('a stack watches for edits, on free ports too, unless it is told not to', () => {
  expect([[], ['--free-ports'], ['--no-watch']].map(args => readOptions(args, {})?.watches)).toEqual([
    true,
    true,
    false,
  ])
})

test('a variable that the stack decides is told, unless it says the same', () => {
  const decided = { BASE_URL: 'http://127.0.0.1:8787', SQL_GATEWAY_URL: '' }
  expect(overruledVariables(decided, { BASE_URL: 'https://api.example.com', SQL_GATEWAY_URL: '' })).toEqual([
    'BASE_URL',
  ])
  expect(overruledVariables(decided, { ...decided, BRAND_NAME: 'Mine' })).toEqual([])
})
