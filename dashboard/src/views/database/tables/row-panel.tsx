// One row beside the list: all its values whole, and the way to change them.

import { Banner, Empty } from '@cloudflare/kumo'
import { RowsIcon, WarningCircleIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { WholeValues } from '../../../parts/database/whole-values.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import type { Drafts } from './drafts.ts'
import { FormPanel } from './form-panel.tsx'
import { changeRow, type Row, readRowAgain, rowQuery, type Table } from './queries.ts'
import { ReferredRows, ReferringRows } from './referring-rows.tsx'
import { RowForm } from './row-form.tsx'
import type { Seen } from './seen-values.ts'
import { reasonReadOnly, WhyReadOnly } from './why-read-only.tsx'

interface RowPanelProps {
  table: Table
  tables: readonly Table[]
  /** Without one the row is shown as it is listed. */
  rowKey: readonly string[] | undefined
  listed: Row | undefined
  onClose: () => void
}

export function RowPanel({ table, tables, rowKey, listed, onClose }: RowPanelProps) {
  const isKey = rowKey !== undefined && rowKey.length === table.primary_key.length
  const title = isKey ? `${table.name} ${rowKey.join(', ')}` : `A row of ${table.name}`
  return (
    <FormPanel title={title} onClose={onClose}>
      {onUnsaved => {
        if (isKey)
          return (
            <KeyedRow table={table} tables={tables} rowKey={rowKey} onUnsaved={onUnsaved} onClose={onClose} />
          )
        return listed === undefined ? <NoSuchRow /> : <ReadOnlyRow table={table} row={listed} />
      }}
    </FormPanel>
  )
}

function KeyedRow({
  table,
  tables,
  rowKey,
  onUnsaved,
  onClose,
}: Pick<RowPanelProps, 'table' | 'tables' | 'onClose'> & {
  rowKey: readonly string[]
  onUnsaved: (changes: number) => void
}) {
  const query = useQuery(rowQuery(table, rowKey))
  // What was shown and typed stays when the row goes.
  const [last, setLast] = useState<Row>()
  if (query.data && query.data !== last) setLast(query.data)
  const save = async (drafts: Drafts, seen: Seen) => {
    await changeRow(table, rowKey, drafts, seen)
    // Under another key it is another address.
    if (!table.primary_key.some(name => drafts.has(name))) return
    onUnsaved(0)
    onClose()
  }
  return (
    <Loaded query={query}>
      {found => {
        const row = found ?? last
        if (row === undefined) return <NoSuchRow />
        return (
          <>
            {found === null && (
              <div className="sticky -top-4 z-10 bg-kumo-base">
                <Banner
                  variant="error"
                  role="alert"
                  icon={<WarningCircleIcon weight="fill" />}
                  title="This row is gone"
                  description="It was deleted, or has another key now. Here is what was last known, and what you typed."
                />
              </div>
            )}
            <ReferredRows table={table} tables={tables} row={row} />
            <ReferringRows table={table} tables={tables} row={row} />
            {reasonReadOnly(table) === undefined ? (
              <RowForm
                table={table}
                row={row}
                action={count => (count === 1 ? 'Save 1 change' : `Save ${count} changes`)}
                onUnsaved={onUnsaved}
                onSubmit={save}
                onReadAgain={() => readRowAgain(table, rowKey)}
              />
            ) : (
              <ReadOnlyRow table={table} row={row} />
            )}
          </>
        )
      }}
    </Loaded>
  )
}

function ReadOnlyRow({ table, row }: { table: Table; row: Row }) {
  const values = table.columns.map(({ name, type }) => ({ name, type, text: row[name] ?? null }))
  return (
    <>
      <WhyReadOnly table={table} />
      <WholeValues values={values} />
    </>
  )
}

function NoSuchRow() {
  return (
    <Empty
      icon={<RowsIcon size={40} />}
      title="Row not found"
      description="It was deleted, or has another key now."
    />
  )
}
