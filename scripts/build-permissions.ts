// A build step of wrangler.toml: writes build/permissions.txt, the text of the permission file. Under its own name
// bundlers and the compiler would take the file for a program. Ends the build where the permission server would not
// load the file.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { parsePermissionFile } from '../src/features/permissions/language/parse.ts'

const SOURCE = 'permissions/namespaces.ts'
const TARGET = new URL('../build/permissions.txt', import.meta.url)

const text = await readFile(new URL(`../${SOURCE}`, import.meta.url), 'utf8')
const { errors } = parsePermissionFile(text)
for (const { message, start } of errors) console.error(`${SOURCE}:${start.line}:${start.column}: ${message}`)
if (errors.length > 0) process.exit(1)
const present = await readFile(TARGET, 'utf8').catch(() => undefined)
// Written only when it differs: a newer file would set off wrangler's watcher for nothing.
if (present !== text) {
  await mkdir(new URL('.', TARGET), { recursive: true })
  await writeFile(TARGET, text)
}
