// A build step of wrangler.toml: writes build/migrations.mjs, the migrations folder as a module. A `.cjs` file becomes
// a function in it, not an import: one that throws, or loads what a Worker does not have, must not end the Worker. What
// the bundler would refuse in it becomes the file's problem.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type BuildFailure, build } from 'esbuild'
import { functionSource, readMigrationFolder } from '../cli/migration-folder.ts'
import type { MigrationFile } from '../src/features/migrations/migration-file.ts'

const FOLDER = fileURLToPath(new URL('../migrations', import.meta.url))
const TARGET = new URL('../build/migrations.mjs', import.meta.url)

const entries = await Promise.all(readMigrationFolder(FOLDER).map(entryOf))
const platformNames = readMigrationFolder(`${FOLDER}/platform`).map(({ recordedAs }) => recordedAs)
const text =
  `// Written by scripts/build-migrations.ts.\nexport const files = [\n${entries.join(',\n')}\n]\n` +
  `export const platformNames = ${JSON.stringify(platformNames)}\n`
const present = await readFile(TARGET, 'utf8').catch(() => '')
// Written only when the folder has changed: a newer file would set off wrangler's watcher for nothing.
if (!present.startsWith(`${text}export const readAt`)) {
  await mkdir(new URL('.', TARGET), { recursive: true })
  await writeFile(TARGET, `${text}export const readAt = '${new Date().toISOString()}'\n`)
}

async function entryOf({ load, ...facts }: MigrationFile): Promise<string> {
  if (load === undefined) return JSON.stringify(facts)
  const source = functionSource(facts.text)
  const refusal = await bundlerRefusal(source)
  if (refusal !== undefined) return JSON.stringify({ ...facts, problem: `${facts.path}${refusal}` })
  return `{${JSON.stringify(facts).slice(1, -1)},"load":${source}}`
}

/** The place and what the bundler says, as it will when the Worker is built; undefined where all is well. */
async function bundlerRefusal(source: string): Promise<string | undefined> {
  const stdin = { contents: `export default ${source}`, resolveDir: FOLDER }
  try {
    await build({ stdin, bundle: true, write: false, format: 'esm', platform: 'neutral', logLevel: 'silent' })
    return undefined
  } catch (err) {
    const [first] = (err as BuildFailure).errors
    return first === undefined ? `: ${err}` : `:${first.location?.line ?? 1}: ${first.text}`
  }
}
