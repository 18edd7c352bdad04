// What the local permission server is told, by `PERMISSION_SERVER_*` (service/settings.ts) or by an object.

import { resolve } from 'node:path'
import * as z from 'zod'
import { Port, Secret } from '../service/settings.ts'

export const PermissionServerSettings = z.object({
  /** A database of its own; the tables are made at the start. */
  databaseUrl: z.string(),
  /** 0 takes a free one. */
  readPort: Port,
  writePort: Port,
  syntaxPort: Port,
  /** What a caller of `/admin/*` on the write port must bear; without it anybody on this machine may write. */
  writeToken: z.string().optional(),
  /** The permission file; read again when it changed. */
  namespacesFile: z.string().default(resolve(import.meta.dirname, '../../permissions/namespaces.ts')),
  /** How deep checks and trees look: Keto's `limit.max_read_depth`. 10 as the Worker's `PERMISSION_DEPTH_MAX`. */
  depthMax: z.coerce.number().int().min(1).max(65_535).default(10),
  /** Seals the tokens of pages: those in use are refused when it changes. */
  pageTokenSecret: Secret,
})
/** What may be left out is left to the defaults. */
export type PermissionServerSettings = z.input<typeof PermissionServerSettings>
