// Runs the code that docs/webhooks.md gives people for receiving and verifying, against what this service sends.
// Python only where it is installed, and without packages; Go not at all, since compiling takes longer than all other
// unit tests.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, it } from 'vitest'
import { type AttemptResult, sendAttempt } from '../../../src/features/webhooks/delivery/send-attempt.ts'
import { messageHeaders, signingKeysOf } from '../../../src/features/webhooks/delivery/signatures.ts'
import { deadline } from '../../../src/lib/deadline.ts'
import { encodeUtf8 } from '../../../src/lib/utf8.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const BODY = '{"event":"INSERT","row":{"note":"ünïcode ✓"}}'
const page = readFileSync('docs/webhooks.md', 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'quoin-verify-'))
symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The first block of a language under a heading. */
function documented(heading: string, language: string): string {
  const section = page.split(`# ${heading}\n`)[1] ?? ''
  return new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(section)?.[1] ?? ''
}

const isInstalled = (program: string) => spawnSync(program, ['--version']).status === 0

function inFolder(file: string, text: string): string {
  const path = join(folder, file)
  writeFileSync(path, text)
  return path
}

const FIRST = { file: 'receiver.mjs', text: documented('A first one', 'js') }
const VERIFYING = { file: 'receiver.mts', text: documented('With a library', 'ts') }

/** Starts a receiver on a free port, runs `work`, and answers what it has printed until it was ended. */
async function printedBy(
  { file, text }: { file: string; text: string },
  work: (url: string) => Promise<unknown>,
): Promise<string> {
  const listening = "listen(0, '127.0.0.1', function () { console.log(this.address().port) })"
  const path = inFolder(file, text.replace("listen(3000, '127.0.0.1')", listening))
  const child = spawn(process.execPath, [path], { env: { WEBHOOK_SECRET: SECRET }, stdio: 'pipe' })
  const lines: string[] = []
  const reader = createInterface(child.stdout).on('line', line => lines.push(line))
  const closed = once(child, 'close')
  await Promise.race([once(reader, 'line'), closed])
  await work(`http://127.0.0.1:${lines[0]}/hook`).finally(() => child.kill())
  await closed
  return lines.slice(1).join('\n')
}

async function deliver(url: string, secret: string, extraHeaders = {}): Promise<AttemptResult> {
  const deps = { fetch, guard: { check: async () => undefined }, deadline, nowMs: Date.now }
  const keys = await signingKeysOf(secret)
  const outgoing = { url, keys, webhookId: 'msg_1', body: encodeUtf8(BODY), customHeaders: {}, extraHeaders }
  return await sendAttempt(deps, outgoing)
}

describe('the documented receivers', { timeout: 30_000 }, () => {
  it.each([FIRST, VERIFYING])('print a delivery of this service: $file', async receiver => {
    const printed = await printedBy(receiver, async url => {
      expect(await deliver(url, SECRET)).toMatchObject({ isSuccess: true })
    })
    expect(printed).toContain('ünïcode ✓')
  })

  it('answer 401 to anybody else, and know a test', async () => {
    const printed = await printedBy(VERIFYING, async url => {
      expect(await deliver(url, 'whsec_AAAA')).toMatchObject({ statusCode: 401 })
      expect((await fetch(url, { method: 'POST', body: BODY })).status).toBe(401)
      expect(await deliver(url, SECRET, { 'x-quoin-test': 'true' })).toMatchObject({ isSuccess: true })
    })
    expect(printed).toBe('a test')
  })
})

it('the documented TypeScript compiles under `strict`', { timeout: 60_000 }, () => {
  const files = ['With a library', 'By hand'].map((heading, number) =>
    inFolder(`strict-${number}.mts`, documented(heading, 'ts')),
  )
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--types', 'node']
  const compiler = resolve('node_modules/.bin/tsc')
  const { stdout, status } = spawnSync(compiler, [...options, ...files], { cwd: folder, encoding: 'utf8' })
  expect([stdout, status]).toEqual(['', 0])
})

it('the documented delivery is signed as it would be with the secret of the first one', async () => {
  const [, head = '', body = ''] = /```http\n([\s\S]*?)\n\n([\s\S]*?)\n```/.exec(page) ?? []
  const headers = new Headers(
    head
      .split('\n')
      .slice(1)
      .map(line => line.split(': ') as [string, string]),
  )
  const message = {
    webhookId: headers.get('webhook-id') ?? '',
    timestampSeconds: Number(headers.get('webhook-timestamp')),
    body: encodeUtf8(body.replaceAll('\n', '')),
  }
  const signed = await messageHeaders(await signingKeysOf(SECRET), message)
  expect(documented('A first one', 'sh')).toContain(SECRET)
  expect(Object.fromEntries(headers)).toMatchObject(signed)
})

async function signatureOf(body: string): Promise<string> {
  const message = { webhookId: 'msg_1', timestampSeconds: 1, body: encodeUtf8(body) }
  return (await messageHeaders(await signingKeysOf(SECRET), message))['x-service-signature'] ?? ''
}

/** Runs the program with the secret, the body and a signature; it prints true or false. */
function run(program: string, file: string, text: string, signature: string): string {
  const given = [inFolder(file, text), SECRET, BODY, signature]
  return execFileSync(program, given, { encoding: 'utf8', cwd: folder }).trim().toLowerCase()
}

const TS_END =
  '\nconst [secret, body, signature] = process.argv.slice(2)\nconsole.log(isFromQuoin(secret, body, signature))\n'
const PYTHON_END = '\nimport sys\nprint(is_from_quoin(sys.argv[1], sys.argv[2].encode(), sys.argv[3]))\n'
const TS = documented('By hand', 'ts') + TS_END
const PYTHON = documented('By hand', 'python') + PYTHON_END

describe.each([
  ['TypeScript', true, (s: string) => run(process.execPath, 'verify.mts', TS, s)],
  ['Python', isInstalled('python3'), (s: string) => run('python3', 'verify.py', PYTHON, s)],
] as const)('the documented lines in %s', (_language, installed, verify) => {
  it.runIf(installed)('take what was signed, and nothing else', { timeout: 60_000 }, async () => {
    const signature = await signatureOf(BODY)
    expect(verify(signature)).toBe('true')
    expect(verify(await signatureOf(`${BODY} `))).toBe('false')
    expect(verify('')).toBe('false')
    expect(verify('é'.repeat(64))).toBe('false')
  })
})
