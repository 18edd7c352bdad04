// Who may come in: one entry for each level. A new level is a file beside this one and a line here. Runs before
// anything that was sent is looked at, so that a stranger learns nothing from error messages.

import { admitKey, admitServiceRole, confirmKey, type KeyDeps } from './api-key.ts'
import type { Admit, Arrival } from './arrival.ts'
import { admitListener, type ListenerDeps } from './listener.ts'
import type { ApiKeyPrincipal, AuthLevel, SessionPrincipal } from './principal.ts'
import { admitPublic } from './public.ts'
import {
  admitAdministrator,
  admitSession,
  admitVisitor,
  confirmSession,
  type SessionDeps,
} from './session.ts'

/** Answers who is calling, or throws the error that the caller gets. */
export const ADMIT: Readonly<Record<AuthLevel, Admit<KeyDeps & SessionDeps & ListenerDeps>>> = {
  none: async () => null,
  visitor: admitVisitor,
  public: admitPublic,
  session: admitSession,
  admin: admitAdministrator,
  any_key: admitKey,
  service_role: admitServiceRole,
  internal: admitListener,
}

/**
 * Throws where whoever was let in would not be any more. For bodies that came slowly: a caller who holds one open must
 * not keep rights that were taken away meanwhile. The listener's requests are signed with their time.
 */
export async function confirmAdmission(
  deps: KeyDeps & SessionDeps,
  arrival: Arrival,
  principal: ApiKeyPrincipal | SessionPrincipal | null,
): Promise<void> {
  if (principal?.kind === 'api_key') await confirmKey(deps, arrival)
  if (principal?.kind === 'session') await confirmSession(deps, arrival, principal.isAdmin)
}
