// The roles that Quoin's own migrations make, by name. They belong to the whole cluster.

/** The login of callers, and what their SQL runs as. */
export const CALLERS = ['authenticator', 'anon', 'service_role'] as const
/** What SECURITY DEFINER functions of the engine run as, each with the few rights that these need. */
export const ENGINE_ROLES = ['quoin_outbox', 'quoin_storage'] as const
export const ROLES = [...CALLERS, ...ENGINE_ROLES] as const
export type RoleName = (typeof ROLES)[number]
