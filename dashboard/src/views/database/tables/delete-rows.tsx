import { Button, Tooltip } from '@cloudflare/kumo'
import { TrashIcon } from '@phosphor-icons/react'
import { useState } from 'react'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { toasts } from '../../../parts/toasts.ts'
import { deleteRows, type Table } from './queries.ts'

/** Their keys go in an address, which is no place for more. */
const DELETED_MAX = 100

/** So many of them are named before they go. */
const NAMED_MAX = 5

const rowsOf = (count: number) => (count === 1 ? '1 row' : `${count} rows`)

export function DeleteRows({
  table,
  keys,
  onDone,
}: {
  table: Table
  keys: readonly string[][]
  onDone: () => void
}) {
  const [isAsking, setAsking] = useState(false)
  const isTooMany = keys.length > DELETED_MAX
  const button = (
    <Button
      variant="secondary-destructive"
      icon={TrashIcon}
      disabled={isTooMany}
      onClick={() => setAsking(true)}
    >
      Delete {rowsOf(keys.length)}
    </Button>
  )
  return (
    <>
      {isTooMany ? (
        <Tooltip
          content={`At most ${DELETED_MAX} at once; for more write a DELETE in the SQL view.`}
          render={<span>{button}</span>}
        />
      ) : (
        button
      )}
      <Button variant="ghost" onClick={onDone}>
        Clear selection
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Delete ${rowsOf(keys.length)} of ${table.schema}.${table.name}?`}
          action={`Delete ${rowsOf(keys.length)}`}
          onConfirm={async () => {
            const deleted = await deleteRows(table, keys)
            const gone = keys.length - deleted
            toasts.add({
              title: `${rowsOf(deleted)} deleted`,
              ...(gone === 0 ? {} : { description: `Already deleted: ${rowsOf(gone)}.` }),
              variant: 'success',
            })
            onDone()
          }}
          onClose={() => setAsking(false)}
        >
          <p className="wrap-anywhere">
            {table.primary_key.join(', ')}:{' '}
            <strong className="code-text text-kumo-default">
              {keys.slice(0, NAMED_MAX).map(nameOf).join(', ')}
            </strong>
            {keys.length > NAMED_MAX && ` and ${keys.length - NAMED_MAX} more`}
          </p>
          <p>
            All of them or none. It cannot be undone; the audit log keeps their keys and not their values.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

function nameOf(key: readonly string[]): string {
  return key.length === 1 ? key.join() : `(${key.join(', ')})`
}
