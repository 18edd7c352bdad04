// The sentence of a finding: what happens to whom. Pure.

import type { Blocks, TableEffect } from './table-effect.ts'

export interface Circumstances {
  /** How the table is called; undefined for tables that the statement does not name. */
  table: string | undefined
  blocks: Blocks
  runsInTransaction: boolean
  /** Why others wait, where the statement alone does not tell: `because ...`. */
  why: string | undefined
}

/** One sentence, with its full stop. */
export function messageOf(effect: TableEffect, circumstances: Circumstances): string {
  const sentence = [whoWaits(effect, circumstances), workMeanwhile(effect)].filter(text => text !== '')
  const waiting = sentence.join(', and ')
  return effect.loses === undefined ? `${waiting}.` : `${effect.loses}; ${lowerFirst(waiting)}.`
}

function whoWaits({ lock }: TableEffect, { table, blocks, runsInTransaction, why }: Circumstances): string {
  const it = table ?? 'the tables it works on'
  if (blocks === 'nothing') return `Reads and writes of ${it} go on`
  const until = runsInTransaction ? 'until the run commits' : 'until it is done'
  const reason = why === undefined ? '' : `, ${why}`
  if (blocks === 'reads_and_writes') return `Nobody can read or write ${it} ${until}${reason}`
  // The lock on the table lets others write: it is the locks on its rows that do not.
  const isRowLock = lock === 'ROW EXCLUSIVE' && why === undefined
  return `Nobody can ${isRowLock ? 'change or delete rows of' : 'write to'} ${it} ${until}${reason}`
}

function workMeanwhile({ lock, rewrites, scans }: TableEffect): string {
  if (lock === 'ROW EXCLUSIVE') return ''
  if (rewrites === 'yes') return 'Postgres copies all its rows meanwhile'
  if (rewrites === 'depends') return 'Postgres may copy all its rows meanwhile'
  if (scans === 'yes') return 'Postgres reads all its rows meanwhile'
  return scans === 'depends' ? 'Postgres may read all its rows meanwhile' : ''
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
