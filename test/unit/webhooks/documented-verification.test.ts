// Runs the code that docs/webhooks.md gives people for checking signatures, against what this service signs. Python
// only where it is installed; Go not at all, since compiling takes longer than all other unit tests.

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { messageHeaders, signingKeysOf } from '../../../src/features/webhooks/delivery/signatures.ts'
import { encodeUtf8 } from '../../../src/lib/utf8.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const BODY = '{"event":"INSERT","row":{"note":"ünïcode ✓"}}'
const byHand = readFileSync('docs/webhooks.md', 'utf8').split('### By hand')[1] ?? ''
const folder = mkdtempSync(join(tmpdir(), 'quoin-verify-'))
afterAll(() => rmSync(folder, { recursive: true }))

const documented = (language: string) =>
  new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(byHand)?.[1] ?? ''
const isInstalled = (program: string) => spawnSync(program, ['--version']).status === 0

async function signatureOf(body: string): Promise<string> {
  const message = { webhookId: 'msg_1', timestampSeconds: 1, body: encodeUtf8(body) }
  return (await messageHeaders(await signingKeysOf(SECRET), message))['x-service-signature'] ?? ''
}

/** Puts the file there and runs it with the secret, the body and a signature; it prints true or false. */
function run(program: string, file: string, text: string, signature: string): string {
  writeFileSync(join(folder, file), text)
  const given = [join(folder, file), SECRET, BODY, signature]
  return execFileSync(program, given, { encoding: 'utf8', cwd: folder }).trim().toLowerCase()
}

const TS_END =
  '\nconst [secret, body, signature] = process.argv.slice(2)\nconsole.log(isFromQuoin(secret, body, signature))\n'
const PYTHON_END = '\nimport sys\nprint(is_from_quoin(sys.argv[1], sys.argv[2].encode(), sys.argv[3]))\n'

describe.each([
  ['TypeScript', true, (s: string) => run(process.execPath, 'verify.mts', documented('ts') + TS_END, s)],
  [
    'Python',
    isInstalled('python3'),
    (s: string) => run('python3', 'verify.py', documented('python') + PYTHON_END, s),
  ],
] as const)('the documented lines in %s', (_language, installed, verify) => {
  it.runIf(installed)('take what was signed, and nothing else', { timeout: 60_000 }, async () => {
    const signature = await signatureOf(BODY)
    expect(verify(signature)).toBe('true')
    expect(verify(await signatureOf(`${BODY} `))).toBe('false')
    expect(verify('')).toBe('false')
    expect(verify('é'.repeat(64))).toBe('false')
  })
})
