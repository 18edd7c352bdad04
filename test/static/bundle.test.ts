// The Worker as it would be deployed: it builds, and stays within its budget.

import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/** Raw bytes of JavaScript; the SQL parser's WASM comes on top (issue "Foundation"). */
const BUNDLE_BYTES_MAX = 1_500_000

it('builds for deployment within its budget of JavaScript', { timeout: 60_000 }, async () => {
  const outdir = await mkdtemp(join(tmpdir(), 'quoin-bundle-'))
  try {
    await promisify(execFile)('wrangler', ['deploy', '--dry-run', '--outdir', outdir], {
      env: { ...process.env, CI: '1', WRANGLER_SEND_METRICS: 'false' },
    })
    const scripts = (await readdir(outdir)).filter(name => name.endsWith('.js'))
    const sizes = await Promise.all(scripts.map(async name => (await stat(join(outdir, name))).size))
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    expect(bytes).toBeGreaterThan(100_000)
    expect(bytes).toBeLessThan(BUNDLE_BYTES_MAX)
  } finally {
    await rm(outdir, { recursive: true, force: true })
  }
})
