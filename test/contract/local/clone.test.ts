// A clone of the project as its user has it: `npm run dev` runs there, the README's calls are pasted into a shell as
// they are, and files come into migrations/.

import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROJECT_DIR } from '../../../cli/support/project.ts'
import type {
  MigrationStatus,
  MigrationStatusEntry,
  RunResult,
} from '../../../src/features/migrations/schemas.ts'
import { makeWithCluster } from '../../support/cluster.ts'
import { copyProject } from '../../support/project-copy.ts'
import { makeStackFolder, type RunningStack, startStack } from '../../support/stack.ts'

const folder = makeStackFolder()
const project = join(folder, 'project')
let stack: RunningStack

beforeAll(async () => {
  copyProject(project)
  const dataDir = join(project, '.quoin')
  await makeWithCluster(dataDir)
  const env = { API_RATE_LIMIT_PER_MINUTE: '1000000' }
  stack = await startStack(dataDir, { cwd: project, watches: true, env })
})

afterAll(async () => {
  await stack?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Of a running stack's status, the entry of a file; undefined until the Worker was built with it. */
async function entryOf(name: string): Promise<MigrationStatusEntry | undefined> {
  const status = await ask<MigrationStatus>('idempotent/status')
  return status.migrations.find(entry => entry.name === name)
}

async function ask<T>(path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${stack.facts.base_url}/api/migrations/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { cookie: stack.facts.session_cookie_admin ?? '', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

describe('the README', () => {
  const hasCurl = spawnSync('curl', ['--version']).error === undefined

  it.skipIf(!hasCurl)('has calls that work, in the order in which they stand', async () => {
    const { stdout } = await promisify(execFile)('sh', ['-c', scriptOf('README.md')], {
      cwd: project,
      timeout: 120_000,
    })
    const answers = stdout
      .split('\0')
      .slice(0, -1)
      // What goes into a file.
      .filter(text => text !== '')
      .map(text => JSON.parse(text))
    expect(answers).toMatchObject([
      expect.arrayContaining([{ id: expect.any(Number), title: expect.any(String) }]),
      [{ title: 'Write the second endpoint' }],
      { command: 'SELECT', rowCount: 1 },
      { pendingFiles: ['0001_create-guestbook.sql'], warnings: [], safe: true, findings: [] },
      { ok: true, applied: [{ name: '0001_create-guestbook.sql' }] },
      [{ id: 1, body: 'I was here' }],
      { migrations: [{ name: '0001_create-guestbook.sql', state: 'applied' }] },
      { client_name: 'Notes', client_id: expect.any(String) },
      { id: 'pictures', public: true },
      { name: 'guests/first.png', content_type: 'image/png' },
      { name: 'My receiver', id: expect.any(String) },
      { imported: 2 },
      { allowed: true },
      { complete: true, matrix: { alice: { editor: true, view: true } } },
    ])
    expect(await entryOf('0001_create-notes.cjs')).toMatchObject({ state: 'applied' })
  })

  /** A call that is refused fails the script. Each answer ends with a NUL, and standard output has nothing else. */
  const STRICT = `set -e
    curl() { command curl --silent --show-error --fail-with-body "$@"; printf "\\0"; }
    npm() { command npm "$@" >&2; }`
  /** These keep their terminal. */
  const KEEPS_RUNNING = /^npm start|npm exec -- vite/m

  /** Who pastes one block after the other gives the running stack the second that a new file takes. */
  function scriptOf(page: string): string {
    const text = readFileSync(join(PROJECT_DIR, page), 'utf8')
    const blocks = Array.from(text.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) => block)
    const url = `${stack.facts.base_url}/api/migrations/preview`
    const waiting = `for file in $(ls migrations | grep -E '\\.(sql|cjs)$'); do
      until command curl -sf "${url}/$file" -H "cookie: ${stack.facts.session_cookie_admin}" -o /dev/null
      do sleep 0.1; done
    done`
    const steps = blocks.filter(block => !KEEPS_RUNNING.test(block)).flatMap(block => [block, waiting])
    return [STRICT, ...steps].join('\n')
  }
})

// How long it takes is told as an annotation (`--reporter verbose`), since a busy machine takes longer.
describe('a running `npm run dev`', () => {
  const write = (name: string, text: string) => writeFileSync(join(project, 'migrations', name), text)
  /** As editors save: a new file takes the old one's place. */
  const replace = (path: string, text: string) => {
    writeFileSync(join(folder, 'saved'), text)
    renameSync(join(folder, 'saved'), join(project, path))
  }
  const PATIENT = { timeout: 60_000, interval: 50 }

  it('shows a new file, and what was changed, accepted or removed since it was applied', async ({
    annotate,
  }) => {
    const name = '0010_create-lists.sql'
    const writtenAt = performance.now()
    write(name, 'create table public.lists ()')
    await expect.poll(() => entryOf(name), PATIENT).toMatchObject({ state: 'pending', problem: null })
    await annotate(`the new file shows after ${Math.round(performance.now() - writtenAt)} ms`)

    await ask('idempotent/run', { migrations: [name] })
    expect(await entryOf(name)).toMatchObject({ state: 'applied' })

    const changedAt = performance.now()
    replace(`migrations/${name}`, 'create table public.lists () -- of things')
    await expect.poll(() => entryOf(name), PATIENT).toMatchObject({ state: 'modified' })
    await annotate(`the changed file shows after ${Math.round(performance.now() - changedAt)} ms`)
    const modified = await entryOf(name)
    expect(modified?.stored_hash).not.toBe(modified?.file_hash)

    const accepted = await ask<MigrationStatusEntry>('idempotent/accept', { migration: name })
    expect(accepted).toMatchObject({ state: 'applied', stored_hash: modified?.file_hash })

    rmSync(join(project, 'migrations', name))
    await expect
      .poll(() => entryOf('0010_create-lists'), PATIENT)
      .toMatchObject({ state: 'orphaned', file_hash: '' })
  })

  it('goes on when an editor replaces wrangler.toml, and says when it had nothing to run', async () => {
    const before = Date.now()
    replace('wrangler.toml', `${readFileSync(join(project, 'wrangler.toml'), 'utf8')}\n# saved\n`)
    const name = '0013_create-after-saving.sql'
    write(name, 'create table public.saved ()')
    await expect.poll(() => entryOf(name), PATIENT).toMatchObject({ state: 'pending' })
    await ask('idempotent/run', { migrations: [name] })
    const { ok, summary } = await ask<RunResult>('idempotent/run', { migrations: [] })
    const [, readAt = ''] =
      /^There was nothing to run: this Worker has \d+ files of migrations\/ \(.* read at (\S+)\. /.exec(
        summary,
      ) ?? []
    expect([ok, summary, Date.parse(readAt) >= before]).toEqual([true, summary, true])
  })

  it('serves beside a file that cannot be read, which keeps no other from running by its name', async () => {
    const [broken, good] = ['0011_broken.cjs', '0012_create-tags.sql']
    write(good, 'create table public.tags ()')
    write(broken, "exports.up = pgm => {\n  pgm.sql('select 1'\n}\n")
    await expect
      .poll(() => entryOf(broken), PATIENT)
      .toMatchObject({
        state: 'pending',
        problem: expect.stringMatching(/^0011_broken\.cjs:\d: SyntaxError: /),
      })
    const { facts } = stack
    const status = await fetch(`${facts.base_url}/v1/status`, { headers: { apikey: facts.service_role_key } })
    expect(status.status).toBe(200)

    expect(await ask<RunResult>('idempotent/run', {})).toMatchObject({
      ok: false,
      applied: [],
      failed: { name: broken, error: expect.stringContaining('SyntaxError') },
    })
    expect(await ask<RunResult>('idempotent/run', { migrations: [good] })).toMatchObject({
      ok: true,
      applied: [{ name: good }],
    })
  })
})
