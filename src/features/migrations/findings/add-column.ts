// ALTER TABLE ... ADD COLUMN. Source: ATExecAddColumn and transformColumnDefinition, Postgres 16 to 18.

import type { SyntaxNode } from '../../sql/syntax-tree.ts'
import { type Domains, isSerial, rewritesForDefault, rewritesForType } from './column-types.ts'
import {
  type Certainty,
  lockOn,
  type RelationName,
  type TableEffect,
  worseCertainty,
} from './table-effect.ts'
import { asList, rangeVar, unwrap } from './tree.ts'

const SAFER_DEFAULT =
  'Add the column without the default, set the default in a statement of its own, and fill old rows in batches.'
const SAFER_COUNTED =
  'Add a plain bigint column, give it a sequence as its default, and fill old rows in batches.'
const SAFER_STORED = 'Add a plain column, keep it by a trigger, and fill old rows in batches.'
const SAFER_NOT_NULL =
  'Give the column a constant default: without one, NOT NULL fails as soon as there is a row.'
const SAFER_UNIQUE =
  'Add the column alone; then CREATE UNIQUE INDEX CONCURRENTLY, and ADD CONSTRAINT ... USING INDEX.'
const SAFER_CHECK =
  'Add the column alone; then the constraint as NOT VALID, and VALIDATE CONSTRAINT in a later run.'
const SAFER_DOMAIN = 'If the domain has constraints, add the column with its base type instead.'

/** What the new column and its constraints do, on the table and on the one that it refers to. */
export function addColumn(table: RelationName, column: SyntaxNode, domains: Domains): TableEffect[] {
  const { rewrites, safer: saferValue } = copyingOf(column, domains)
  const { scans, safer: saferConstraints } = checksOf(column)
  const safer = [saferValue, ...saferConstraints].filter(text => text !== undefined).join(' ')
  const effects = [
    lockOn(table, 'ACCESS EXCLUSIVE', {
      rewrites,
      scans: worseCertainty(scans, rewrites),
      safer: safer || undefined,
    }),
  ]
  const foreign = constraintsOf(column).get('CONSTR_FOREIGN')
  if (foreign) {
    const isChecked = isFilled(column)
    effects.push(
      lockOn(rangeVar(foreign['pktable']), 'SHARE ROW EXCLUSIVE', {
        scans: isChecked ? 'depends' : 'no',
        safer: isChecked ? SAFER_CHECK : undefined,
      }),
    )
  }
  return effects
}

/** Whether old rows get the column's value by being copied. One value for all rows is kept in the catalog instead. */
function copyingOf(column: SyntaxNode, domains: Domains): { rewrites: Certainty; safer: string | undefined } {
  const constraints = constraintsOf(column)
  const generated = constraints.get('CONSTR_GENERATED')
  if (generated) {
    // A virtual column is computed when it is read.
    return generated['generated_kind'] === 's'
      ? { rewrites: 'yes', safer: SAFER_STORED }
      : { rewrites: 'no', safer: undefined }
  }
  if (isSerial(column['typeName']) || constraints.has('CONSTR_IDENTITY'))
    return { rewrites: 'yes', safer: SAFER_COUNTED }
  const ofDefault = rewritesForDefault(constraints.get('CONSTR_DEFAULT')?.['raw_expr'])
  if (ofDefault === 'yes') return { rewrites: 'yes', safer: SAFER_DEFAULT }
  const ofType = rewritesForType(column['typeName'], domains)
  const safer = [ofDefault === 'no' ? '' : SAFER_DEFAULT, ofType === 'no' ? '' : SAFER_DOMAIN]
  return { rewrites: worseCertainty(ofDefault, ofType), safer: safer.join(' ').trim() || undefined }
}

/** What has to be checked in each old row. */
function checksOf(column: SyntaxNode): { scans: Certainty; safer: string[] } {
  const constraints = constraintsOf(column)
  const isFull = isFilled(column)
  const isNeverNull = constraints.has('CONSTR_NOTNULL') && !isFull
  const safer: string[] = []
  if (isNeverNull && !constraints.has('CONSTR_GENERATED')) safer.push(SAFER_NOT_NULL)
  if (constraints.has('CONSTR_UNIQUE') || constraints.has('CONSTR_PRIMARY')) safer.push(SAFER_UNIQUE)
  // A column without a default holds nothing that could refer to anything: Postgres does not look.
  const refers = constraints.has('CONSTR_FOREIGN') && isFull
  if (constraints.has('CONSTR_CHECK') || refers) safer.push(SAFER_CHECK)
  return { scans: isNeverNull || safer.length > 0 ? 'yes' : 'no', safer }
}

/** Whether old rows have a value in it. */
function isFilled(column: SyntaxNode): boolean {
  const constraints = constraintsOf(column)
  return (
    constraints.has('CONSTR_DEFAULT') || constraints.has('CONSTR_IDENTITY') || isSerial(column['typeName'])
  )
}

/** The column's constraints by type; of several of one type the last, which is enough to know that there is one. */
function constraintsOf(column: SyntaxNode): Map<string, SyntaxNode> {
  const constraints = asList(column['constraints']).map(item => unwrap(item).fields)
  return new Map(constraints.map(fields => [String(fields['contype']), fields]))
}
