// A decision that is named by its number stands in docs/decisions.md, once.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PROJECT_DIR } from '../../cli/support/project.ts'

const read = (path: string) => readFileSync(join(PROJECT_DIR, path), 'utf8')
const numbers = [...read('docs/decisions.md').matchAll(/^(\d+)\. /gm)].map(match => match[1])
const paths = execFileSync(
  'git',
  ['ls-files', '-z', '--', '*.ts', '*.tsx', '*.cjs', '*.mjs', '*.md', '*.toml'],
  {
    cwd: PROJECT_DIR,
    encoding: 'utf8',
  },
)
  .split('\0')
  .filter(path => path !== '' && existsSync(join(PROJECT_DIR, path)))

it('names only decisions that are there', () => {
  const named = paths.flatMap(path =>
    [...read(path).matchAll(/\bdecisions?\s+(\d+)/gi)].map(match => ({ path, number: match[1] })),
  )
  expect(named).not.toEqual([])
  expect(named.filter(({ number }) => !numbers.includes(number))).toEqual([])
})

it('gives each number to one decision', () => {
  expect(numbers.length).toBeGreaterThan(50)
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([])
})
