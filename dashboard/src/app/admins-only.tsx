import { LockSimpleIcon } from '@phosphor-icons/react'
import { useSession } from '../api/session.ts'

/** Marks what leads to a view for administrators; nothing for them. The view itself says why, and whom to ask. */
export function AdminsOnlyMark({ of: { adminsOnly } }: { of: { adminsOnly?: boolean | undefined } }) {
  const { is_admin: isAdmin } = useSession()
  if (isAdmin || adminsOnly !== true) return null
  return (
    <LockSimpleIcon role="img" alt="for administrators only" className="ml-auto shrink-0 text-kumo-subtle" />
  )
}
