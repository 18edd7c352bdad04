// No line is longer than a page is wide, Markdown and SQL included. JSON has no say in it, nor has what is generated.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PROJECT_DIR } from '../../cli/support/project.ts'

const COLUMNS_MAX = 120
const TEXTS = ['ts', 'tsx', 'mjs', 'cjs', 'md', 'sql', 'toml', 'service'].map(ending => `*.${ending}`)
const GENERATED = [':!docs/api.md', ':(exclude,glob)test/fixtures/upgrade/*/**']

/** Tracked files; one that is deleted stays listed until that is committed. */
function textFiles(): string[] {
  const options = { cwd: PROJECT_DIR, encoding: 'utf8' } as const
  return execFileSync('git', ['ls-files', '-z', '--', ...TEXTS, ...GENERATED], options)
    .split('\0')
    .filter(path => path !== '' && existsSync(join(PROJECT_DIR, path)))
}

/** The row of a table and a link can only be whole. */
const mayBeLong = (path: string, line: string) =>
  /https?:\/\//.test(line) || (path.endsWith('.md') && line.startsWith('|'))

function longLines(path: string): string[] {
  return readFileSync(join(PROJECT_DIR, path), 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      line.length > COLUMNS_MAX && !mayBeLong(path, line) ? [`${path}:${index + 1}`] : [],
    )
}

it('has no line over 120 columns, but for tables and links', () => {
  const files = textFiles()
  expect(files).toContain('README.md')
  expect(files.flatMap(longLines)).toEqual([])
})
