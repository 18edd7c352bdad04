import type { Schema } from '../../../api/schema.ts'

type MigrationPreview = Schema<'MigrationPreview'>

/** A pair of files, and a folder, have no ending; they are SQL. */
export function isSql(name: string): boolean {
  return !/\.[cm]?[jt]s$/.test(name)
}

/** What a run applies of the file. */
export function appliedPart({ content, applied_lines: ranges }: MigrationPreview): string {
  const lines = content.split('\n')
  return ranges.map(({ first, last }) => lines.slice(first - 1, last).join('\n')).join('\n')
}

/** Which lines a run applies, as the end of a sentence; undefined where it is all of the file. */
export function appliedWords({ applied_lines: ranges, lines }: MigrationPreview): string | undefined {
  const [only] = ranges
  if (ranges.length === 1 && only?.first === 1 && only.last >= lines) return undefined
  if (ranges.length === 0) return 'none: it is not certain which'
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first} to ${last}`)).join(', ')
}
