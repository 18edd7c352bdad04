// A migration's text, to be read before it runs.

import { readForm } from './forms/read-form.ts'
import type { MigrationReadDeps } from './migration-deps.ts'
import { findFile } from './migration-file.ts'
import type { MigrationPreview } from './schemas.ts'

/** The file as it was built in. Throws `not_found`, and `invalid_parameter` for a path. */
export function previewMigration(
  { migrations }: Pick<MigrationReadDeps, 'migrations'>,
  name: string,
): MigrationPreview {
  const { text, path } = findFile(migrations.files, name)
  const lines = countLines(text)
  const facts = { filename: name, content: text, lines }
  if (!path.endsWith('.sql')) return { ...facts, tool: null, applied_lines: [{ first: 1, last: lines }] }
  const { tool, up, uncertain } = readForm(text)
  return { ...facts, tool, applied_lines: uncertain ? [] : [...up.lines] }
}

/** A last line without a line break is one too; what is behind the last break is none. */
function countLines(text: string): number {
  if (text === '') return 0
  const breaks = text.split('\n').length - 1
  return text.endsWith('\n') ? breaks : breaks + 1
}
