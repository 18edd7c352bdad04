// A build step of wrangler.toml: writes build/migrations.mjs, the migrations folder as a module. A `.cjs` file becomes
// a function in it, not an import: one that throws, or loads what a Worker does not have, must not end the Worker.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { functionSource, readMigrationFolder } from '../local/migration-folder.ts'
import { trackedName } from '../src/features/migrations/migration-file.ts'

const FOLDER = fileURLToPath(new URL('../migrations', import.meta.url))
const TARGET = new URL('../build/migrations.mjs', import.meta.url)

const entries = readMigrationFolder(FOLDER).map(({ load, ...facts }) => {
  const fields = JSON.stringify(facts).slice(1, -1)
  return load === undefined ? `{${fields}}` : `{${fields},"load":${functionSource(facts.text)}}`
})
const platformNames = readMigrationFolder(`${FOLDER}/platform`).map(({ name }) => trackedName(name))
const text =
  `// Written by scripts/build-migrations.ts.\nexport const files = [\n${entries.join(',\n')}\n]\n` +
  `export const platformNames = ${JSON.stringify(platformNames)}\n`
const present = await readFile(TARGET, 'utf8').catch(() => undefined)
// Written only when it differs: a newer file would set off wrangler's watcher for nothing.
if (present !== text) {
  await mkdir(new URL('.', TARGET), { recursive: true })
  await writeFile(TARGET, text)
}
