// A build step of wrangler.toml: writes build/permissions.txt, the text of the permission file. Under its own name
// bundlers and the compiler would take the file for a program.

import { mkdir, readFile, writeFile } from 'node:fs/promises'

const TARGET = new URL('../build/permissions.txt', import.meta.url)

const text = await readFile(new URL('../permissions/namespaces.ts', import.meta.url))
const present = await readFile(TARGET).catch(() => undefined)
// Written only when it differs: a newer file would set off wrangler's watcher for nothing.
if (!present?.equals(text)) {
  await mkdir(new URL('.', TARGET), { recursive: true })
  await writeFile(TARGET, text)
}
