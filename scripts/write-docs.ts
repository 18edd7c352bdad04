// `npm run docs`: writes docs/openapi.json, docs/api.md and three READMEs' tables of variables from the code.
// With --check it writes nothing and fails when one of them is stale.

import { readFile, writeFile } from 'node:fs/promises'
import { generatedDocuments } from './generated-documents.ts'

const isCheck = process.argv.includes('--check')
const stale: string[] = []

for (const { path, text } of await generatedDocuments()) {
  const present = await readFile(path, 'utf8').catch(() => '')
  if (present === text) continue
  stale.push(path)
  if (!isCheck) await writeFile(path, text)
}

if (stale.length === 0) console.log('The generated documents are fresh.')
else if (isCheck) {
  console.error(`Stale: ${stale.join(', ')}. Run \`npm run docs\` and commit what it writes.`)
  process.exitCode = 1
} else console.log(`Written: ${stale.join(', ')}`)
