import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { toasts } from '../../../parts/toasts.ts'
import { serverSet } from './key-sets.ts'
import { removeKey, type SigningKey } from './queries.ts'
import { LifetimeNote, TokenEnds } from './token-ends.tsx'

export function RemoveKeyDialog({
  of: key,
  among: keys,
  onRemoved,
  onClose,
}: {
  of: SigningKey
  among: readonly SigningKey[]
  onRemoved?: () => void
  onClose: () => void
}) {
  const { kid, set_id: set } = key
  const known = serverSet(set)
  const isSigning = known !== undefined && keys[0]?.kid === kid
  return (
    <ConfirmDialog
      title={`Remove key ${kid}?`}
      action="Remove key"
      name={kid}
      onConfirm={async () => {
        await removeKey(set, kid)
        toasts.add({ title: `Key ${kid} is removed`, variant: 'success' })
        onRemoved?.()
      }}
      onClose={onClose}
    >
      {known === undefined ? (
        <p>What was signed with it no longer verifies, and what was encrypted for it cannot be decrypted.</p>
      ) : (
        <>
          <p>
            Tokens signed with it no longer verify, once verifiers read the public keys again.
            {isSigning && ' It is the one that signs now; from then on the one before it does.'}
          </p>
          <div className="rounded-md bg-kumo-recessed px-3 py-2 text-kumo-default">
            <TokenEnds of={kid} among={keys} set={set} />
            <LifetimeNote set={set} />
          </div>
        </>
      )}
    </ConfirmDialog>
  )
}
