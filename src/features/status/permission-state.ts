// Whether the permission server answers questions, and knows what this Worker was built with.

import * as z from 'zod'
import type { Upstream } from '../../clients/http.ts'
import { listNamespaceNames } from '../../clients/permission-server.ts'
import { DomainError } from '../../errors.ts'
import type { BundledPermissions } from '../permissions/permission-deps.ts'
import { latencySince, logProbeFailure, PROBE_TIMEOUT_MS, type Probed } from './probe.ts'

export const PermissionState = z.object({
  state: z.enum(['up', 'down', 'off']).describe('off: PERMISSION_READ_URL is not set'),
  missing_namespaces: z
    .array(z.string())
    .nullable()
    .describe('namespaces of permissions/namespaces.ts that the permission server does not know'),
})
export type PermissionState = z.infer<typeof PermissionState>

interface PermissionProbed extends Probed {
  state: PermissionState['state']
  missingNamespaces: string[] | null
}

export interface PermissionStateDeps {
  upstreams: { permissionRead: Upstream }
  permissionFile: BundledPermissions
}

/** The state of its read port, within two seconds. Never throws: down is an answer here. */
export async function readPermissionState({
  upstreams,
  permissionFile,
}: PermissionStateDeps): Promise<PermissionProbed> {
  if (upstreams.permissionRead.baseUrl === undefined)
    return { state: 'off', latencyMs: null, problems: [], missingNamespaces: null }
  const startedAt = performance.now()
  try {
    const known = new Set(await listNamespaceNames(upstreams.permissionRead, PROBE_TIMEOUT_MS))
    const latencyMs = latencySince(startedAt)
    const missing = permissionFile.declarations.names().filter(name => !known.has(name))
    return { state: 'up', latencyMs, problems: missingProblems(missing), missingNamespaces: missing }
  } catch (err) {
    logProbeFailure('permission_server_down', err)
    return { state: 'down', latencyMs: null, problems: [downProblem(err)], missingNamespaces: null }
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
