// The roles that Quoin's own migrations make, by name. They belong to the whole cluster.

/** The login of callers, and what their SQL runs as. */
export const CALLERS = ['authenticator', 'anon', 'service_role'] as const
/** What SECURITY DEFINER functions of the engine run as, each with the few rights that these need. */
export const ENGINE_ROLES = ['quoin_outbox', 'quoin_storage'] as const
/** What `npm run adopt -- supabase` makes: what signed-in persons act as, and who owns the schema `auth`. */
export const USER_ROLE = 'authenticated'
export const SUPABASE_ROLES = [USER_ROLE, 'supabase_auth_admin'] as const
export const ROLES = [...CALLERS, ...ENGINE_ROLES] as const
export type RoleName = (typeof ROLES)[number]
export type SupabaseRole = (typeof SUPABASE_ROLES)[number]
