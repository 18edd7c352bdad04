// What the local identity provider is told, by `IDENTITY_SERVER_*` (service/settings.ts) or by an object.

import * as z from 'zod'
import { List, Port, Secret } from '../service/settings.ts'

export const IdentityServerSettings = z.object({
  /** A database of its own; the tables are made at the start. */
  databaseUrl: z.string(),
  /** 0 takes a free one. */
  publicPort: Port,
  adminPort: Port,
  /** Signs session cookies and logout tokens: sessions of cookies end when it changes. */
  secret: Secret,
  /** Where a `return_to` may lead: scheme and host must be equal, the path begins with the entry's. */
  allowedReturnUrls: List.default([]),
  /** Pages that may read with cookies what the public port answers; unless told, any page without cookies. */
  allowedOrigins: List.default([]),
  /** Where a browser goes without a `return_to`; `{ui}/welcome` unless told. */
  defaultReturnUrl: z.string().optional(),
  /** Base of the pages `login`, `registration`, `settings` and `error`; its own under `/ui` unless told. */
  uiUrl: z.string().optional(),
  /** How a browser reaches the public port, when that is not the port itself. */
  publicUrl: z.string().optional(),
  /** The identity schema; the one in this folder unless told. */
  schemaFile: z.string().optional(),
  sessionLifespanSeconds: z.coerce.number().default(24 * 60 * 60),
  flowLifespanSeconds: z.coerce.number().default(10 * 60),
})
/** What may be left out is left to the defaults. */
export type IdentityServerSettings = z.input<typeof IdentityServerSettings>
