// Whether the permission server answers, and knows what this Worker was built with, for `GET /v1/status`.

import * as z from 'zod'
import type { Upstream } from '../../clients/http.ts'
import { listNamespaceNames } from '../../clients/permission-server.ts'
import { DomainError } from '../../errors.ts'
import type { BundledPermissions } from '../permissions/permission-deps.ts'
import { logProbeFailure, PROBE_TIMEOUT_MS } from './probe.ts'

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

/** The state, and one sentence or two for each problem. Never throws: down is an answer here. */
export async function readPermissionState({
  upstreams,
  permissionFile,
}: PermissionStateDeps): Promise<{ state: PermissionState; problems: string[] }> {
  if (upstreams.permissionRead.baseUrl === undefined)
    return { state: { state: 'off', missing_namespaces: null }, problems: [] }
  try {
    const known = new Set(await listNamespaceNames(upstreams.permissionRead, PROBE_TIMEOUT_MS))
    const missing = permissionFile.declarations.names().filter(name => !known.has(name))
    return { state: { state: 'up', missing_namespaces: missing }, problems: missingProblems(missing) }
  } catch (err) {
    logProbeFailure('permission_server_down', err)
    return { state: { state: 'down', missing_namespaces: null }, problems: [downProblem(err)] }
  }
}

function missingProblems(missing: readonly string[]): string[] {
  if (missing.length === 0) return []
  return [
    `The permission server does not know ${missing.join(', ')}. Give it the permissions/namespaces.ts ` +
      'that this Worker was built with.',
  ]
}

function downProblem(err: unknown): string {
  const message = err instanceof DomainError ? err.message : 'The permission server cannot be asked.'
  return `${message} Look at it, and at PERMISSION_READ_URL.`
}
