// What the dashboard promises of its build and its folders: a first load that is small, views that come when they are
// visited, and that none of them leans on another.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PROJECT_DIR } from '../../cli/support/project.ts'

const DASHBOARD = join(PROJECT_DIR, 'dashboard')
const VIEWS = join(DASHBOARD, 'src/views')
const FIRST_LOAD_BYTES_MAX = 300 * 1024

/** And Vitest's own NODE_ENV would build React as for development. */
const VARIABLES = {
  NODE_ENV: 'production',
  VITE_API_URL: 'https://api.example.com',
  VITE_OAUTH_PUBLIC_URL: 'https://auth.example.com/',
  VITE_IDENTITY_PUBLIC_URL: 'https://id.example.com/kratos',
}

const before = Object.fromEntries(Object.keys(VARIABLES).map(name => [name, process.env[name]]))
let outDir: string
beforeAll(async () => {
  outDir = mkdtempSync(join(tmpdir(), 'quoin-dashboard-'))
  Object.assign(process.env, VARIABLES)
  await build({ configFile: join(DASHBOARD, 'vite.config.ts'), build: { outDir }, logLevel: 'silent' })
})
afterAll(() => {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  rmSync(outDir, { recursive: true, force: true })
})

it('loads less than 300 KB of compressed script at first, and a chunk more with each view', () => {
  const html = readFileSync(join(outDir, 'index.html'), 'utf8')
  const first = [...html.matchAll(/(?:src|href)="(\/[^"]+\.js)"/g)].map(([, path = '']) => path)
  const bytes = first.map(path => gzipSync(readFileSync(join(outDir, path))).length)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(FIRST_LOAD_BYTES_MAX)
  const all = readdirSync(join(outDir, 'assets')).filter(name => name.endsWith('.js'))
  expect(all.length).toBeGreaterThan(first.length)
})

it('tells Pages which servers its pages may speak to, and that no script may be inline', () => {
  const headers = readFileSync(join(outDir, '_headers'), 'utf8')
  expect(headers).toContain("script-src 'self';")
  expect(headers).toContain(
    "connect-src 'self' https://api.example.com https://auth.example.com https://id.example.com " +
      'wss://api.example.com;',
  )
  const html = readFileSync(join(outDir, 'index.html'), 'utf8')
  expect([...html.matchAll(/<script(?![^>]* src=)/g)]).toEqual([])
})

it('keeps views apart: none imports another', () => {
  const files = readdirSync(VIEWS, { recursive: true, encoding: 'utf8' }).filter(name => /\.tsx?$/.test(name))
  const crossings = files.flatMap(name => {
    const file = join(VIEWS, name)
    if (dirname(file) === VIEWS) return []
    const imports = [...readFileSync(file, 'utf8').matchAll(/(?:from|import)[\s(]*'(\.[^']+)'/g)]
    const targets = imports.map(([, path = '']) => resolve(dirname(file), path))
    return targets
      .filter(target => target.startsWith(VIEWS) && viewOf(target) !== viewOf(file))
      .map(target => `${name} imports ${target.slice(VIEWS.length + 1)}`)
  })
  expect(crossings).toEqual([])
})

/** The folder of the view that a file belongs to: the nearest that has a `view.ts`. */
function viewOf(file: string): string {
  let folder = dirname(file)
  while (folder !== VIEWS && !existsSync(join(folder, 'view.ts'))) folder = dirname(folder)
  return folder
}
