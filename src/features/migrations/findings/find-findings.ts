// What pending migrations would do to those who use the database meanwhile: every statement is read, none is run.
// Three steps: parse each statement, ask the database once for all tables that they name, then go through the
// statements in order, since what one makes, renames or locks decides what the next one means.

import type { PlatformDatabase } from '../../../db/database.ts'
import { Turns } from '../../../lib/turns.ts'
import {
  type AnalysedFile,
  type AnalysedText,
  analyseStatements,
  type ParserDeps,
} from './analysed-statements.ts'
import { CommitNeeds } from './commit-needs.ts'
import { databaseNow } from './database-now.ts'
import { candidates, KnownRelations } from './known-relations.ts'
import type { MigrationFinding } from './schemas.ts'
import { NO_DOMAINS, statementEffects } from './statement-effects.ts'
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
  const turns = new Turns()
  const analysed = await analyseStatements(deps, files, turns)
  const now = await databaseNow(deps, await wantedKeys(analysed, searchPath, turns))
  const known = new KnownRelations(now.relations, searchPath)
  const domains = new Set([...now.domains, ...domainsMade(analysed)])
  const run = { known, held: new Map(), domains, commitNeeds: new CommitNeeds() }
  const findings: MigrationFinding[] = []
  for (const text of analysed) {
    findings.push(...(await fileFindings(text, run, turns)))
    if (findings.length > FINDINGS_MAX) break
  }
  if (findings.length <= FINDINGS_MAX) return findings
  const [first] = findings.splice(FINDINGS_MAX)
  return [
    ...findings,
    wholeFile(first?.file ?? '', `A check lists ${FINDINGS_MAX} findings, and there are more.`),
  ]
}

/** Of a name in a statement, in units of `Turns`: it is looked for in each schema of the search path. */
const NAME_WORK = 2_000

async function fileFindings(
  { file, statements, isCut }: AnalysedText,
  run: RunSoFar,
  turns: Turns,
): Promise<MigrationFinding[]> {
  run.known.beginFile()
  // What stands before such a file is committed, and its locks are given back.
  if (!file.runsInTransaction) {
    run.held.clear()
    run.commitNeeds.commit()
  }
  const findings: MigrationFinding[] = []
  for (const statement of statements) {
    await turns.spend(statement.work + NAME_WORK * (1 + statement.nameCount))
    findings.push(...statementFindings(file, statement, run))
    if (findings.length > FINDINGS_MAX) break
  }
  if (file.notAnalysed !== undefined) findings.push(wholeFile(file.name, file.notAnalysed))
  if (isCut) {
    const from = `statement ${statements.length + 1} and those behind it`
    findings.push(wholeFile(file.name, `Not analysed: ${from} are over the bounds of a check.`))
  }
  return findings
}

/** The tables that are locked or renamed; what else a statement names is not asked for. */
async function wantedKeys(
  analysed: readonly AnalysedText[],
  searchPath: readonly string[],
  turns: Turns,
): Promise<Set<string>> {
  const keys = new Set<string>()
  for (const { statements } of analysed) {
    let path = searchPath
    for (const { nodes, changes, nameCount, work } of statements) {
      await turns.spend(work + NAME_WORK * nameCount)
      for (const { relation } of nodes.flatMap(node => statementEffects(node, NO_DOMAINS)))
        if (relation) for (const key of candidates(relation, path)) keys.add(key)
      for (const change of changes) if (change.kind === 'search_path') path = change.path ?? searchPath
    }
  }
  return keys
}

function domainsMade(analysed: readonly AnalysedText[]): string[] {
  const changes = analysed.flatMap(({ statements }) => statements.flatMap(statement => statement.changes))
  return changes.flatMap(change => (change.kind === 'domain_made' ? [change.domain] : []))
}
