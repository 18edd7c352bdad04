// `dev.json`: the facts of a running stack, for scripts and tests. It is there exactly while the stack is ready.

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { writePrivateFile } from './private-file.ts'

/** What scripts may rely on. Fields are only ever added. */
export const StackFacts = z.object({
  base_url: z.string(),
  anon_key: z.string(),
  service_role_key: z.string(),
  database_url: z.string(),
  data_database_url: z.string(),
  /** Null: the Worker speaks to the database's own HTTP endpoint. */
  sql_gateway_url: z.string().nullable(),
  /** Null, as `postgres_port`, when the database is somewhere else. */
  superuser_url: z.string().nullable(),
  postgres_port: z.number().nullable(),
  /** The outside servers; null where there is none, because the database is somewhere else. */
  oauth_public_url: z.string().nullable(),
  oauth_admin_url: z.string().nullable(),
  oauth_database_url: z.string().nullable(),
  identity_public_url: z.string().nullable(),
  identity_admin_url: z.string().nullable(),
  permission_read_url: z.string().nullable(),
  permission_write_url: z.string().nullable(),
  permission_admin_token: z.string().nullable(),
  /** Null also for a permission server that is somewhere else. */
  permission_syntax_url: z.string().nullable(),
  dashboard_url: z.string(),
  listener_health_url: z.string(),
  /** The two who can sign in at the local identity provider; null with one that is somewhere else. */
  admin_identity_id: z.string().nullable(),
  admin_email: z.string().nullable(),
  admin_password: z.string().nullable(),
  user_identity_id: z.string().nullable(),
  user_email: z.string().nullable(),
  user_password: z.string().nullable(),
  /** A session of each, as a ready `name=value`. */
  session_cookie_admin: z.string().nullable(),
  session_cookie_user: z.string().nullable(),
  /** Process groups by name, and the stack itself as `main`. */
  pids: z.record(z.string(), z.number()),
})
export type StackFacts = z.infer<typeof StackFacts>

export function devFilePath(dataDir: string): string {
  return join(dataDir, 'dev.json')
}

export function writeDevFile(dataDir: string, facts: StackFacts): void {
  writePrivateFile(devFilePath(dataDir), JSON.stringify(facts, undefined, 2))
}

/** The facts of the stack that runs in this folder; throws when none is ready. */
export function readDevFile(dataDir: string): StackFacts {
  return StackFacts.parse(JSON.parse(readFileSync(devFilePath(dataDir), 'utf8')))
}

export function removeDevFile(dataDir: string): void {
  rmSync(devFilePath(dataDir), { force: true })
}
