// Pages are read in a hurry: their sentences are short. Not asked of tables, headings, code, and what is generated.

import { glob, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

const WORDS_MAX = 25
const GENERATED = ['docs/api.md']
/** What git ignores, and what tools keep in folders that begin with a dot. */
const NOT_OURS = /^(node_modules|build|dist|\..+)$/

it('has pages whose sentences have 25 words at most', async () => {
  const long: string[] = []
  let read = 0
  for await (const path of glob('**/*.md', { exclude: name => NOT_OURS.test(name) })) {
    if (GENERATED.includes(path)) continue
    const sentences = paragraphsOf(await readFile(path, 'utf8')).flatMap(text => text.split(/(?<=[.!?:;]) /))
    read += sentences.length
    for (const sentence of sentences) {
      const words = sentence.split(' ').length
      if (words > WORDS_MAX) long.push(`${path}, ${words} words: ${sentence}`)
    }
  }
  expect(read).toBeGreaterThan(500)
  expect(long).toEqual([])
})

/** A list's item is one too. A block of code is fenced, or indented behind an empty line. */
function paragraphsOf(markdown: string): string[] {
  return markdown
    .replaceAll(/^ *```.*?^ *```$/gms, '')
    .replaceAll(/(?<=^\n)(?: {4}.*\n)+/gm, '')
    .split('\n')
    .map(line => (/^\s*[|#]/.test(line) ? '' : line))
    .join('\n')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .map(paragraph => paragraph.trim().split(/\s+/).join(' '))
    .filter(paragraph => paragraph !== '')
}
