// The dashboard's own process, started by ../dashboard.ts: Vite's server, which takes up edits, or the built files with
// the headers that Cloudflare Pages gives them.

import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createServer, preview } from 'vite'
import { PROJECT_DIR } from '../../cli/support/project.ts'

const root = join(PROJECT_DIR, 'dashboard')
const configFile = join(root, 'vite.config.ts')
const [host, port, outDir] = process.argv.slice(2)
const where = { host: host ?? '127.0.0.1', port: Number(port), strictPort: true }

if (outDir === undefined) {
  const server = await createServer({ configFile, server: where, clearScreen: false })
  await server.listen()
} else {
  // In a process that ends: the bundler holds 600 MB, which the server has no use for.
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js')
  const args = ['build', root, '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn']
  execFileSync(process.execPath, [vite, ...args], { stdio: 'inherit' })
  await preview({ configFile, build: { outDir }, preview: where, logLevel: 'warn' })
}
