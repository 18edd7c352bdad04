// How the permission server does, for `GET /v1/status`: whether it answers, and knows what this Worker was built with.

import * as z from 'zod'
import type { Upstream } from '../../clients/http.ts'
import { listNamespaceNames } from '../../clients/permission-server.ts'
import type { BundledPermissions } from '../permissions/permission-deps.ts'

/** As for the database: who asks how the platform is must not wait as long as a request may. */
const TIMEOUT_MS = 2_000

export const PermissionState = z.object({
  state: z.enum(['up', 'down', 'off']).describe('off: PERMISSION_READ_URL is not set'),
  missing_namespaces: z
    .array(z.string())
    .nullable()
    .describe('namespaces of permissions/namespaces.ts that the permission server does not know'),
})
export type PermissionState = z.infer<typeof PermissionState>

export interface PermissionStateDeps {
  upstreams: { permissionRead: Upstream }
  permissionFile: BundledPermissions
}

/** Never throws: down is an answer here. */
export async function readPermissionState({
  upstreams,
  permissionFile,
}: PermissionStateDeps): Promise<PermissionState> {
  if (upstreams.permissionRead.baseUrl === undefined) return { state: 'off', missing_namespaces: null }
  try {
    const known = new Set(await listNamespaceNames(upstreams.permissionRead, TIMEOUT_MS))
    const missing = permissionFile.declarations.names().filter(name => !known.has(name))
    return { state: 'up', missing_namespaces: missing }
  } catch (err) {
    console.error(JSON.stringify({ level: 'error', code: 'permission_server_down', message: String(err) }))
    return { state: 'down', missing_namespaces: null }
  }
}

/** One sentence or two for each problem; empty where all is well or nothing is set up. */
export function permissionProblems({ state, missing_namespaces }: PermissionState): string[] {
  if (state === 'down')
    return ['The permission server does not answer within 2 s. Look at it, and at PERMISSION_READ_URL.']
  if (missing_namespaces === null || missing_namespaces.length === 0) return []
  return [
    `The permission server does not know ${missing_namespaces.join(', ')}. Give it the permissions/namespaces.ts ` +
      'that this Worker was built with.',
  ]
}
