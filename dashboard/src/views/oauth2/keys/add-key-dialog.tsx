import { Radio } from '@cloudflare/kumo'
import { useState } from 'react'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { toasts } from '../../../parts/toasts.ts'
import { AlgorithmField, algorithmOf } from './algorithm-field.tsx'
import { serverSet } from './key-sets.ts'
import { addKey, type SigningKey } from './queries.ts'

/** `newest` is the set's, if it has any. */
export function AddKeyDialog({
  set,
  newest,
  onClose,
}: {
  set: string
  newest: SigningKey | undefined
  onClose: () => void
}) {
  const [algorithm, setAlgorithm] = useState(() => algorithmOf(newest?.algorithm))
  const [use, setUse] = useState<'sig' | 'enc'>('sig')
  const known = serverSet(set)
  return (
    <FormDialog
      title="Add key"
      lead={
        known === undefined
          ? `Added to the set ${set}, which exists from its first key on.`
          : `The new key signs ${known.signs} at once; older ones verify while the old key stays. ${known.atOnce}`
      }
      action="Add key"
      onSubmit={async () => {
        const key = await addKey({ set_id: set, algorithm, use })
        toasts.add({ title: `Key ${key.kid} is added`, variant: 'success' })
      }}
      onClose={onClose}
    >
      {errorAt => (
        <>
          <AlgorithmField
            set={set}
            present={newest?.algorithm}
            value={algorithm}
            onChange={setAlgorithm}
            error={errorAt('algorithm') ?? errorAt('set_id')}
          />
          {known === undefined && (
            <Radio.Group
              legend="Use"
              value={use}
              onValueChange={value => setUse(value as typeof use)}
              error={errorAt('use')}
            >
              <Radio.Item value="sig" label="sig: signs and verifies" />
              <Radio.Item value="enc" label="enc: encrypts and decrypts" />
            </Radio.Group>
          )}
        </>
      )}
    </FormDialog>
  )
}
