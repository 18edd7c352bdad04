// A new row. What is left alone gets its default.

import { toasts } from '../../../parts/toasts.ts'
import { FormPanel } from './form-panel.tsx'
import { insertRow, type Table } from './queries.ts'
import { RowForm } from './row-form.tsx'

export function InsertPanel({ of: table, onClose }: { of: Table; onClose: () => void }) {
  return (
    <FormPanel title={`New row of ${table.name}`} onClose={onClose}>
      {onUnsaved => (
        <RowForm
          table={table}
          action={() => 'Insert row'}
          onUnsaved={onUnsaved}
          onSubmit={async drafts => {
            await insertRow(table, drafts)
            toasts.add({ title: 'The row is inserted', variant: 'success' })
            onUnsaved(0)
            onClose()
          }}
        />
      )}
    </FormPanel>
  )
}
