// From what a statement does to what is said of it, in the course of a run. Pure.

import { excerptOf } from '../statements/failing-statement.ts'
import type { AnalysedFile, AnalysedStatement } from './analysed-statements.ts'
import type { Domains } from './column-types.ts'
import type { CommitNeeds } from './commit-needs.ts'
import type { KnownRelations, RelationNow } from './known-relations.ts'
import { messageOf } from './message.ts'
import type { MigrationFinding } from './schemas.ts'
import { statementEffects } from './statement-effects.ts'
import {
  type Blocks,
  type ForeignKeyEnd,
  isWorthTelling,
  lockOn,
  type TableEffect,
  worseBlocks,
} from './table-effect.ts'

const SAFER_ALONE = 'Put it into a file of its own whose first line is -- quoin:no-transaction.'
const SAFER_WITHOUT = 'Take it out: a run is one transaction, and takes everything back when something fails.'
const SAFER_LATER = 'Put it into a later run: the lock of the earlier statement is given back before.'
const SAFER_FOREIGN_KEY = 'Drop the foreign key first, in a run of its own, which is soon over.'

/** The run so far: what names mean, and what earlier statements keep others from, by table. */
export interface RunSoFar {
  readonly known: KnownRelations
  readonly held: Map<string, Blocks>
  readonly domains: Domains
  readonly commitNeeds: CommitNeeds
}

type FileFacts = Pick<AnalysedFile, 'name' | 'runsInTransaction'>

/** An effect on a table that is there, or on tables without names. */
interface TargetEffect {
  readonly effect: TableEffect
  readonly relation: RelationNow | undefined
  /** Why the table is locked, where the statement does not name it. */
  readonly why?: string
}

/** Findings of the next statement of a run; notes in `run` what it leaves behind. */
export function statementFindings(
  file: FileFacts,
  statement: AnalysedStatement,
  run: RunSoFar,
): MigrationFinding[] {
  const meant = targetEffectsOf(statement, run)
  const findings = ofTransaction(file, statement, meant[0]?.relation)
  if (findings.length === 0) {
    findings.push(...ofCommitNeed(file, statement, run))
    for (const one of [...meant, ...otherEnds(meant)]) findings.push(...ofEffect(file, statement, one, run))
    findings.push(...ofUnread(file, statement))
  }
  for (const change of statement.changes) run.known.apply(change)
  return findings
}

/** Without effects on what is new: nobody else sees it. */
function targetEffectsOf({ nodes }: AnalysedStatement, { known, domains }: RunSoFar): TargetEffect[] {
  const effects = nodes.flatMap(node => statementEffects(node, domains))
  return effects
    .map(effect => ({ effect, relation: effect.relation && known.find(effect.relation) }))
    .filter(({ effect, relation }) => effect.relation === undefined || relation !== undefined)
}

/** The tables at the other ends of foreign keys that go or are checked again, but for those that are named. */
function otherEnds(meant: readonly TargetEffect[]): TargetEffect[] {
  const told = new Set(meant.map(({ relation }) => relation?.shown))
  const ends: TargetEffect[] = []
  for (const { effect, relation } of meant) {
    for (const { name, columns, other } of relation?.foreignKeys ?? []) {
      const part = effect.severed.find(it => isPart(it, name, columns))
      if (part === undefined || told.has(other)) continue
      told.add(other)
      const scans = part.of === 'type' ? 'depends' : 'no'
      ends.push({
        // Its triggers for the foreign key go, which takes what every DROP TRIGGER takes.
        effect: lockOn(undefined, 'ACCESS EXCLUSIVE', { scans, safer: SAFER_FOREIGN_KEY }),
        relation: { shown: other, sizeBytes: null, rows: null, foreignKeys: [] },
        why: `because of the foreign key ${name}`,
      })
    }
  }
  return ends
}

function isPart(severed: ForeignKeyEnd, foreignKey: string, columns: readonly string[]): boolean {
  if (severed.of === 'table') return true
  return severed.of === 'constraint' ? severed.name === foreignKey : columns.includes(severed.name)
}

/** In a transaction such statements fail, or end it: what they lock is the least of it. */
function ofTransaction(
  file: FileFacts,
  statement: AnalysedStatement,
  relation: RelationNow | undefined,
): MigrationFinding[] {
  if (!file.runsInTransaction || statement.use === 'fits_transaction') return []
  const isRefused = statement.use === 'needs_no_transaction'
  return [
    finding(file, statement, relation, {
      message: isRefused
        ? 'Postgres refuses it in a transaction, and a run is one.'
        : 'It begins or ends a transaction, and the run is in one already.',
      safer: isRefused ? SAFER_ALONE : SAFER_WITHOUT,
    }),
  ]
}

/** It fails where nothing is committed before it. */
function ofCommitNeed(file: FileFacts, statement: AnalysedStatement, run: RunSoFar): MigrationFinding[] {
  if (!file.runsInTransaction) return []
  const need = run.commitNeeds.of(file.name, statement)
  if (need === undefined) return []
  return [finding(file, statement, undefined, { message: need.message, safer: need.safer ?? SAFER_ALONE })]
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
  { effect, relation, why }: TargetEffect,
  run: RunSoFar,
): MigrationFinding[] {
  const { runsInTransaction } = file
  const table = relation?.shown
  const blocks = runsInTransaction ? heldWith(run.held, table, effect.blocks) : effect.blocks
  if (!isWorthTelling(effect)) return []
  const isHeldBefore = blocks !== effect.blocks
  const reason = isHeldBefore ? 'because of an earlier statement' : why
  const safer = [isHeldBefore ? SAFER_LATER : undefined, effect.safer].filter(text => text !== undefined)
  return [
    finding(file, statement, relation, {
      lock: effect.lock,
      blocks,
      rewrites: effect.rewrites !== 'no',
      scans: effect.scans !== 'no',
      message: messageOf(effect, { table, blocks, runsInTransaction, why: reason }),
      safer: safer.join(' ') || null,
    }),
  ]
}

/** What others cannot do from now on, with what earlier statements of the run hold. */
function heldWith(held: Map<string, Blocks>, table: string | undefined, own: Blocks): Blocks {
  if (table === undefined) return own
  const blocks = worseBlocks(held.get(table) ?? 'nothing', own)
  held.set(table, blocks)
  return blocks
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
