// The dashboard's own process, started by ../dashboard.ts: Vite's server, which takes up edits, or the built files as
// Cloudflare Pages serves them.

import { fileURLToPath } from 'node:url'
import { build, createServer, preview } from 'vite'

const configFile = fileURLToPath(new URL('../../dashboard/vite.config.ts', import.meta.url))
const [host, port, outDir] = process.argv.slice(2)
const where = { host: host ?? '127.0.0.1', port: Number(port), strictPort: true }

if (outDir === undefined) {
  const server = await createServer({ configFile, server: where, clearScreen: false })
  await server.listen()
} else {
  await build({ configFile, build: { outDir }, logLevel: 'warn' })
  await preview({ configFile, build: { outDir }, preview: where, logLevel: 'warn' })
}
