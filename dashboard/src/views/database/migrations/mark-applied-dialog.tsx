import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { toasts } from '../../../parts/toasts.ts'
import { markApplied } from './queries.ts'

export function MarkAppliedDialog({ name, onClose }: { name: string; onClose: () => void }) {
  return (
    <ConfirmDialog
      title={`Mark ${name} as applied?`}
      action="Mark as applied"
      isDangerous={false}
      onConfirm={async () => {
        await markApplied(name)
        toasts.add({ title: `${name} is marked as applied`, variant: 'success' })
      }}
      onClose={onClose}
    >
      <p>It is not run, now or later. Use this for changes that the database already has.</p>
      <p>“Check what exists” shows whether its tables, indexes, functions and types are there.</p>
    </ConfirmDialog>
  )
}
