import type { Schema } from '../../api/schema.ts'

/** `svc_pk_…x9Qd`: all that is known of a key once it was shown. */
export function shownKey({ prefix, last_four: lastFour }: Schema<'ApiKey'>): string {
  return `${prefix}…${lastFour}`
}
