import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { generatedDocuments } from '../../scripts/generated-documents.ts'

it('has generated documents that say what the code says (else: npm run docs)', async () => {
  for (const { path, text } of await generatedDocuments())
    expect(await readFile(path, 'utf8'), path).toBe(text)
})
