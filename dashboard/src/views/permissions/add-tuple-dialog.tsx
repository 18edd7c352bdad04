import { useState } from 'react'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { toasts } from '../../parts/toasts.ts'
import { type TupleFilter, writeTuple } from '../../parts/tuples/queries.ts'
import { TupleField, useTupleText } from '../../parts/tuples/tuple-field.tsx'

/** Begins with what the list is filtered by. */
export function AddTupleDialog({ filter, onClose }: { filter: TupleFilter; onClose: () => void }) {
  const [text, setText] = useState(() => beginning(filter))
  const { mistake } = useTupleText(text, 'store')
  return (
    <FormDialog
      title="Add relation tuple"
      lead="namespace:object#relation@subject. The subject is an id, or a group: Organization:acme#member."
      action="Add tuple"
      mayGo={text !== '' && mistake === undefined}
      onSubmit={async () => {
        const { created } = await writeTuple(text)
        toasts.add(
          created
            ? { title: 'The tuple is added', variant: 'success' }
            : { title: 'It was there already', variant: 'info' },
        )
      }}
      onClose={onClose}
    >
      {() => <TupleField label="Relation tuple" value={text} onChange={setText} use="store" />}
    </FormDialog>
  )
}

function beginning({ namespace, object, relation, subject }: TupleFilter): string {
  if (namespace === undefined) return ''
  if (object === undefined) return `${namespace}:`
  if (relation === undefined) return `${namespace}:${object}#`
  return `${namespace}:${object}#${relation}@${subject ?? ''}`
}
