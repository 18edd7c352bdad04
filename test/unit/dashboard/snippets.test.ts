// Programs that are written for a client: its values come from whoever made it, and none may become a part of the
// program.

import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { flowsOf, type Given, isPlain } from '../../../dashboard/src/views/oauth2/snippets/given.ts'
import { programOf } from '../../../dashboard/src/views/oauth2/snippets/languages.ts'
import { quotedText, scriptText, shellText } from '../../../dashboard/src/views/oauth2/snippets/quote.ts'

const HOSTILE = [
  "it's",
  "'; touch hit; '",
  '"$(touch hit)`touch hit`',
  'a\\',
  '\\\'"\\"',
  `\${x}\n#{y}\u2028`,
  "é'😀",
]

it.each(HOSTILE)('quotes %j so that every language reads the same text', text => {
  expect(execFileSync('sh', ['-c', `printf %s ${shellText(text)}`], { encoding: 'utf8' })).toBe(text)
  const script = `process.stdout.write(${scriptText(text)})`
  expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })).toBe(text)
  expect(JSON.parse(quotedText(text))).toBe(text)
})

const GIVEN: Given = {
  issuer: 'https://sign-in.example.com/',
  authorizationEndpoint: 'https://sign-in.example.com/oauth2/auth',
  tokenEndpoint: 'https://sign-in.example.com/oauth2/token',
  deviceEndpoint: 'https://sign-in.example.com/oauth2/device/auth',
  clientId: 'shop',
  method: 'client_secret_basic',
  redirectUri: 'https://shop.example.com/callback',
  scope: 'openid',
}

it('offers a browser no program for a client with a secret, and says why', () => {
  expect(programOf('browser', 'code', GIVEN)).toMatchObject({ reason: expect.stringContaining('secret') })
  expect(programOf('browser', 'machine', { ...GIVEN, method: 'none' })).toHaveProperty('reason')
  expect(programOf('browser', 'code', { ...GIVEN, method: 'none' })).toHaveProperty('text')
})

it('offers openid-client no redirect URI that it would send otherwise', () => {
  const given = { ...GIVEN, redirectUri: 'https://shop.example.com/callback?from=here' }
  expect(programOf('node', 'code', given)).toHaveProperty('reason')
  expect(programOf('python', 'code', given)).toHaveProperty('text')
  expect(['com.example.app:/callback', 'http://127.0.0.1:5999', 'relative'].map(isPlain)).toEqual([
    true,
    false,
    false,
  ])
})

it('lets a program use http only where the server has nothing else', () => {
  const insecure = { ...GIVEN, issuer: 'http://127.0.0.1:4444' }
  expect(programOf('node', 'machine', GIVEN)).toMatchObject({ text: expect.not.stringContaining('Insecure') })
  expect(programOf('node', 'machine', insecure)).toMatchObject({ text: expect.stringContaining('Insecure') })
})

it('knows the flows by the grants', () => {
  const flowsWith = (...grants: string[]) => flowsOf({ grant_types: grants } as Parameters<typeof flowsOf>[0])
  expect(flowsWith('implicit', 'refresh_token')).toEqual([])
  expect(flowsWith('client_credentials', 'authorization_code')).toEqual(['code', 'machine'])
})
