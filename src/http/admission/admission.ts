// Who may come in: one entry for each level. A new level is a file beside this one and a line here. Runs before
// anything that was sent is looked at, so that a stranger learns nothing from error messages.

import { admitKey, admitServiceRole, type KeyDeps } from './api-key.ts'
import type { Admit } from './arrival.ts'
import { admitListener, type ListenerDeps } from './listener.ts'
import type { AuthLevel } from './principal.ts'
import { admitAdministrator, admitSession, admitVisitor, type SessionDeps } from './session.ts'

/** Answers who is calling, or throws the error that the caller gets. */
export const ADMIT: Readonly<Record<AuthLevel, Admit<KeyDeps & SessionDeps & ListenerDeps>>> = {
  none: async () => null,
  visitor: admitVisitor,
  session: admitSession,
  admin: admitAdministrator,
  any_key: admitKey,
  service_role: admitServiceRole,
  internal: admitListener,
}
