// From what a statement does to what is said of it, in the course of a run. Pure.

import { excerptOf } from '../failing-statement.ts'
import type { AnalysedFile, AnalysedStatement } from './analysed-statements.ts'
import type { KnownRelations, RelationNow } from './known-relations.ts'
import { messageOf } from './message.ts'
import type { MigrationFinding } from './schemas.ts'
import { type Blocks, isWorthTelling, type TableEffect, worseBlocks } from './table-effect.ts'

const SAFER_ALONE = 'Put it into a file of its own whose first line is -- quoin:no-transaction.'
const SAFER_WITHOUT = 'Take it out: a run is one transaction, and takes everything back when something fails.'
const SAFER_LATER = 'Put it into a later run: the lock of the earlier statement is given back before.'

/** The run so far: what names mean, and what earlier statements keep others from, by table. */
export interface RunSoFar {
  readonly known: KnownRelations
  readonly held: Map<string, Blocks>
}

type FileFacts = Pick<AnalysedFile, 'name' | 'runsInTransaction'>

/** Findings of the next statement of a run; notes in `run` what it leaves behind. */
export function statementFindings(
  file: FileFacts,
  statement: AnalysedStatement,
  run: RunSoFar,
): MigrationFinding[] {
  const findings = ofTransaction(file, statement, run)
  if (findings.length === 0) {
    findings.push(...statement.effects.flatMap(effect => ofEffect(file, statement, effect, run)))
    findings.push(...ofUnread(file, statement))
  }
  for (const change of statement.changes) run.known.apply(change)
  return findings
}

/** In a transaction such statements fail, or end it: what they lock is the least of it. */
function ofTransaction(file: FileFacts, statement: AnalysedStatement, run: RunSoFar): MigrationFinding[] {
  if (!file.runsInTransaction || statement.use === 'fits_transaction') return []
  const name = statement.effects[0]?.relation
  const refused = statement.use === 'needs_no_transaction'
  return [
    finding(file, statement, name && run.known.find(name), {
      message: refused
        ? 'Postgres refuses it in a transaction, and a run is one.'
        : 'It begins or ends a transaction, and the run is in one already.',
      safer: refused ? SAFER_ALONE : SAFER_WITHOUT,
    }),
  ]
}

function ofUnread(file: FileFacts, statement: AnalysedStatement): MigrationFinding[] {
  if (statement.unread === undefined) return []
  const { reason, more } = statement.unread
  const others = more === 0 ? '' : `, like ${more} more of this file`
  return [
    finding(file, statement, undefined, { message: `Not analysed${others}: ${reason}.`, analysed: false }),
  ]
}

function ofEffect(
  file: FileFacts,
  statement: AnalysedStatement,
  effect: TableEffect,
  { known, held }: RunSoFar,
): MigrationFinding[] {
  const relation = effect.relation && known.find(effect.relation)
  if (effect.relation && relation === undefined) return []
  const table = relation?.shown
  const heldBefore = (file.runsInTransaction && held.get(table ?? '')) || 'nothing'
  const blocks = worseBlocks(heldBefore, effect.blocks)
  if (file.runsInTransaction && table !== undefined) held.set(table, blocks)
  if (!isWorthTelling(effect)) return []
  const isHeldBefore = blocks !== effect.blocks
  const saferParts = [isHeldBefore ? SAFER_LATER : undefined, effect.safer]
  return [
    finding(file, statement, relation, {
      lock: effect.lock,
      blocks,
      rewrites: effect.rewrites !== 'no',
      scans: effect.scans !== 'no',
      message: messageOf(effect, { table, blocks, runsInTransaction: file.runsInTransaction, isHeldBefore }),
      safer: saferParts.filter(text => text !== undefined).join(' ') || null,
    }),
  ]
}

/** The finding that a file, or the rest of it, is not analysed. */
export function wholeFile(name: string, message: string): MigrationFinding {
  return finding({ name }, undefined, undefined, { message, analysed: false })
}

/** A finding that says of all else that nothing happens. */
function finding(
  { name }: Pick<FileFacts, 'name'>,
  statement: AnalysedStatement | undefined,
  relation: RelationNow | undefined,
  said: Pick<MigrationFinding, 'message'> & Partial<MigrationFinding>,
): MigrationFinding {
  return {
    file: name,
    line: statement?.line ?? null,
    statement: statement ? excerptOf(statement.text, { start: 0, end: statement.text.length }) : null,
    table: relation?.shown ?? null,
    lock: null,
    blocks: 'nothing',
    rewrites: false,
    scans: false,
    size_bytes: relation?.sizeBytes ?? null,
    rows: relation?.rows ?? null,
    safer: null,
    analysed: true,
    ...said,
  }
}
