// `npm run dev` serves the dashboard with this; `npm run build:dashboard` writes dist/dashboard for Cloudflare Pages.
// The addresses of the servers are set here, at build: they are in the script, and in the policy of `_headers`.

import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, loadEnv, type Plugin } from 'vite'
import { headersFile, headersOf, readAddresses } from './addresses.ts'

const ROOT = fileURLToPath(new URL('.', import.meta.url))

// Vite takes its configuration from the default export.
export default defineConfig(({ mode }) => {
  const addresses = readAddresses(loadEnv(mode, ROOT, 'VITE_'))
  return {
    root: ROOT,
    // Another vite beside it (`examples/notes`) would empty a cache that both share.
    cacheDir: fileURLToPath(new URL('../node_modules/.vite-dashboard', import.meta.url)),
    plugins: [react(), tailwindcss(), pagesHeaders(headersFile(addresses))],
    // What Pages does with `_headers`, for the tests.
    preview: { headers: headersOf(addresses) },
    build: { outDir: '../dist/dashboard', emptyOutDir: true, target: 'es2024' },
  }
})

/** Cloudflare Pages reads the headers of all its answers from this file. */
function pagesHeaders(source: string): Plugin {
  return {
    name: 'quoin:pages-headers',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: '_headers', source })
    },
  }
}
