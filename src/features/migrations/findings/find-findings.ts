// What pending migrations would do to those who use the database meanwhile: every statement is read, none is run.
// Three steps: parse each statement, ask the database once for all tables that they name, then go through the
// statements in order, since what one makes, renames or locks decides what the next one means.

import type { PlatformDatabase } from '../../../db/database.ts'
import {
  type AnalysedFile,
  type AnalysedText,
  analyseStatements,
  type ParserDeps,
} from './analysed-statements.ts'
import { candidates, KnownRelations } from './known-relations.ts'
import { relationsNow } from './relations-now.ts'
import type { MigrationFinding } from './schemas.ts'
import { type RunSoFar, statementFindings, wholeFile } from './statement-findings.ts'

/** An answer of more would be too large; all that is behind is one finding. */
const FINDINGS_MAX = 1_000

/**
 * The findings on the files, in order, as though they ran now in one run. One trip to the database; none when no
 * statement names a table. Unqualified names are looked up in `searchPath`. A statement that blocks nobody has none.
 */
export async function findFindings(
  deps: ParserDeps & { platform: Pick<PlatformDatabase, 'query'> },
  files: readonly AnalysedFile[],
  searchPath: readonly string[],
): Promise<MigrationFinding[]> {
  const analysed = await analyseStatements(deps, files)
  const now = await relationsNow(deps, wantedKeys(analysed, searchPath))
  const run = { known: new KnownRelations(now, searchPath), held: new Map() }
  const findings = analysed.flatMap(text => fileFindings(text, run))
  if (findings.length <= FINDINGS_MAX) return findings
  const [first] = findings.splice(FINDINGS_MAX)
  return [
    ...findings,
    wholeFile(first?.file ?? '', `A check lists ${FINDINGS_MAX} findings, and there are more.`),
  ]
}

function fileFindings({ file, statements }: AnalysedText, run: RunSoFar): MigrationFinding[] {
  run.known.beginFile()
  const findings = statements.flatMap(statement => statementFindings(file, statement, run))
  if (file.notAnalysed !== undefined) findings.push(wholeFile(file.name, file.notAnalysed))
  if (statements.length < file.statements.length) {
    const message = `Not analysed: statement ${statements.length + 1} and those behind it are over the bounds of a check.`
    findings.push(wholeFile(file.name, message))
  }
  return findings
}

/** The tables that are locked or renamed; what else a statement names is not asked for. */
function wantedKeys(analysed: readonly AnalysedText[], searchPath: readonly string[]): Set<string> {
  const keys = new Set<string>()
  for (const { statements } of analysed) {
    let path = searchPath
    for (const { effects, changes } of statements) {
      for (const { relation } of effects)
        if (relation) for (const key of candidates(relation, path)) keys.add(key)
      for (const change of changes) if (change.kind === 'search_path') path = change.path ?? searchPath
    }
  }
  return keys
}
