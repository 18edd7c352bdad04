// Writes build/api.d.ts: the types of docs/openapi.json, for the dashboard's client.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import openapiTS, { astToString } from 'openapi-typescript'

const DOCUMENT = new URL('../docs/openapi.json', import.meta.url)
const TARGET = new URL('../build/api.d.ts', import.meta.url)

const ast = await openapiTS(DOCUMENT, { defaultNonNullable: false })
const text = `// Written by scripts/build-api-types.ts from docs/openapi.json.\n${astToString(ast)}`
const present = await readFile(TARGET, 'utf8').catch(() => undefined)
// Written only when it differs: a newer file would make Vite load the page again.
if (present !== text) {
  await mkdir(new URL('.', TARGET), { recursive: true })
  await writeFile(TARGET, text)
}
