// What a deployment should know about its own settings. Pure; the log says it once an isolate, `/v1/status` each time.

import { EVERY_IDENTITY } from '../sessions/session-gate.ts'

export interface WarnedSettings {
  baseUrl: string
  identityPublicUrl: string | undefined
  dashboardRoles: readonly string[]
}

/** One sentence for each setting that is allowed but dangerous here; empty for a deployment without any. */
export function deploymentWarnings(settings: WarnedSettings): string[] {
  const isOpenDashboard =
    settings.identityPublicUrl !== undefined && settings.dashboardRoles.includes(EVERY_IDENTITY)
  if (!isOpenDashboard || isLoopback(settings.baseUrl)) return []
  return [
    'DASHBOARD_ROLES holds *: every identity that can sign in, the users of applications included, may use /api.',
  ]
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}
