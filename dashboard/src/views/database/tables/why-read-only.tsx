import { InfoIcon } from '@phosphor-icons/react'
import { KINDS } from '../../../parts/database/table-facts.ts'
import type { Table } from './queries.ts'

/** Why rows of a table cannot be changed here; undefined where they can be. */
export function reasonReadOnly({ kind, primary_key: key, writable }: Table): string | undefined {
  if (writable.length === 0)
    return kind === 'table' || kind === 'partitioned_table'
      ? 'Read only: service_role may not change it.'
      : `Read only: this ${KINDS[kind].toLowerCase()} takes no changes.`
  if (key.length === 0)
    return 'Rows can be read and inserted, but not changed: there is no primary key to find them by.'
  if (!writable.includes('PATCH')) return 'Rows cannot be changed: service_role has no UPDATE privilege.'
  return undefined
}

export function WhyReadOnly({ table }: { table: Table }) {
  const reason = reasonReadOnly(table)
  if (reason === undefined) return null
  return (
    <p className="flex items-start gap-2 text-kumo-subtle">
      <InfoIcon aria-hidden="true" className="mt-0.5 shrink-0" />
      {reason}
    </p>
  )
}
