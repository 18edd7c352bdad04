// The Worker as it would be deployed: it builds, and stays within its budget.

import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'

/** Raw bytes of JavaScript; the SQL parser's WASM comes on top (issue "Foundation"). */
const BUNDLE_BYTES_MAX = 1_500_000
/** Of everything, compressed: what the platform takes from the smallest plan. */
const UPLOAD_BYTES_MAX = 3 * 1024 * 1024

let outdir: string

beforeAll(async () => {
  outdir = await mkdtemp(join(tmpdir(), 'quoin-bundle-'))
  await promisify(execFile)('wrangler', ['deploy', '--dry-run', '--outdir', outdir, '--metafile'], {
    env: { ...process.env, CI: '1', WRANGLER_SEND_METRICS: 'false' },
  })
}, 60_000)

afterAll(() => rm(outdir, { recursive: true, force: true }))

it('builds for deployment within its budget of JavaScript', async () => {
  const scripts = (await readdir(outdir)).filter(name => name.endsWith('.js'))
  const sizes = await Promise.all(scripts.map(async name => (await stat(join(outdir, name))).size))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeGreaterThan(100_000)
  expect(bytes).toBeLessThan(BUNDLE_BYTES_MAX)
})

it('is small enough for the platform with the parser and the program of /docs', async () => {
  const uploaded = (await readdir(outdir)).filter(name => /\.(js|wasm|bin)$/.test(name))
  const compressed = await Promise.all(
    uploaded.map(async name => gzipSync(await readFile(join(outdir, name))).length),
  )
  expect(uploaded).toHaveLength(3)
  expect(compressed.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(UPLOAD_BYTES_MAX)
})

// With a build step of its own wrangler watches `watch_dir` and nothing else: an edit elsewhere would change nothing
// in a running `npm run dev`.
it('is made of files that `npm run dev` watches, but for what is installed or built', async () => {
  const [, list = ''] = /^watch_dir = \[(.*)\]$/m.exec(await readFile('wrangler.toml', 'utf8')) ?? []
  const watched = Array.from(list.matchAll(/"([^"]+)"/g), ([, folder]) => `${folder}/`)
  const { inputs } = JSON.parse(await readFile(join(outdir, 'bundle-meta.json'), 'utf8'))
  const ours = Object.keys(inputs).filter(path => /^(?!\.\.|node_modules\/|build\/)[\w-]+\//.test(path))
  expect(ours.length).toBeGreaterThan(100)
  expect(ours.filter(path => !watched.some(folder => path.startsWith(folder)))).toEqual([])
})
