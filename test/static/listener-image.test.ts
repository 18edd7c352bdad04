// The listener's image holds fewer files than the repository and fewer packages than a developer has. This makes the
// same folder without Docker, from what listener/Dockerfile copies, and starts the listener there.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { PROJECT_DIR } from '../../cli/support/project.ts'

const read = (path: string) => readFileSync(join(PROJECT_DIR, path), 'utf8')
const recipe = read('listener/Dockerfile')
const { dependencies, devDependencies } = JSON.parse(read('package.json'))

/** The arguments of every line that begins with this instruction. */
function linesOf(instruction: string): string[] {
  return Array.from(recipe.matchAll(new RegExp(`^${instruction} (.*)$`, 'gm')), ([, rest]) => String(rest))
}

/** What `listener/Dockerfile.dockerignore` lets Docker see: everything is ignored but these paths. */
function allowedPaths(): string[] {
  const [all, ...exceptions] = read('listener/Dockerfile.dockerignore').trim().split('\n')
  expect(all).toBe('*')
  expect(exceptions).toEqual(exceptions.map(() => expect.stringMatching(/^![\w./-]+$/)))
  return exceptions.map(line => line.slice(1))
}

/** Copies as the COPY lines do: into a folder where the target ends with a slash, else as the target. */
function copyAsTold(folder: string): void {
  const allowed = allowedPaths()
  const isAllowed = (path: string) => allowed.some(one => path === one || path.startsWith(`${one}/`))
  for (const line of linesOf('COPY')) {
    const sources = line.split(' ')
    const target = sources.pop() ?? ''
    for (const source of sources) {
      expect(isAllowed(source), `${source} is not ignored`).toBe(true)
      cpSync(
        join(PROJECT_DIR, source),
        join(folder, target.endsWith('/') ? join(target, basename(source)) : target),
        {
          recursive: true,
          filter: path => isAllowed(relative(PROJECT_DIR, path)),
        },
      )
    }
  }
}

/** What `npm ci --omit=dev` makes findable. */
function linkPackages(folder: string): void {
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(PROJECT_DIR, 'node_modules', name), link)
  }
}

it('has everything that the listener loads: it starts, and asks for its settings', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-image-'))
  try {
    copyAsTold(folder)
    linkPackages(folder)
    const [, ...args] = JSON.parse(linesOf('CMD').at(-1) ?? '[]')
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: folder,
      env: {},
      encoding: 'utf8',
      timeout: 30_000,
    })
    expect(stdout, stderr).toContain('LISTENER_DATABASE_URL is not set, and must be')
    expect(status).toBe(1)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

it('runs the Node that everything is tested with, and not as root', () => {
  expect(linesOf('FROM')).toEqual([`node:${devDependencies.node}-bookworm-slim`])
  expect(linesOf('USER')).toEqual(['node'])
  expect(recipe.indexOf('\nUSER node')).toBeLessThan(recipe.indexOf('\nCMD '))
})
