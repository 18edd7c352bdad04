// Which Worker a command asks, and with which key.

import { readDevFile, type StackFacts } from './dev-file.ts'

export interface Service {
  readonly baseUrl: string
  readonly serviceRoleKey: string
}

/**
 * What BASE_URL and SERVICE_ROLE_KEY name, else the local stack that runs in this folder, where it is on this database.
 * Undefined where there is neither.
 */
export function serviceOf(
  env: NodeJS.ProcessEnv,
  stackDir: string,
  databaseUrl: string,
): Service | undefined {
  const { BASE_URL: baseUrl, SERVICE_ROLE_KEY: serviceRoleKey } = env
  if (baseUrl && serviceRoleKey) return { baseUrl, serviceRoleKey }
  const stack = runningStack(stackDir)
  if (stack?.database_url !== databaseUrl) return undefined
  return { baseUrl: stack.base_url, serviceRoleKey: stack.service_role_key }
}

function runningStack(stackDir: string): StackFacts | undefined {
  try {
    return readDevFile(stackDir)
  } catch {
    return undefined
  }
}
