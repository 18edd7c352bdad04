// The dashboard as a child process. Its addresses are set when it is built, so each stack builds its own: 3 s.

import { join } from 'node:path'
import type { Children } from './children.ts'
import { startNodeProgram } from './node-program.ts'
import { LOOPBACK } from './ports.ts'

export interface DashboardSettings {
  readonly dataDir: string
  readonly port: number
  readonly apiUrl: string
  readonly oauthPublicUrl: string
  readonly identityPublicUrl: string
  /** True: Vite's own server, which shows an edit at once; false: built, with the headers of production. */
  readonly watches: boolean
}

/** Starts the dashboard and waits until it answers; resolves with its address. */
export async function startDashboard(children: Children, settings: DashboardSettings): Promise<string> {
  const url = `http://${LOOPBACK}:${settings.port}`
  await startNodeProgram(children, {
    name: 'dashboard',
    file: 'local/dashboard/main.ts',
    args: [
      LOOPBACK,
      String(settings.port),
      ...(settings.watches ? [] : [join(settings.dataDir, 'dashboard')]),
    ],
    variables: {
      // Built as for production also where tests have set it to `test`.
      NODE_ENV: settings.watches ? 'development' : 'production',
      VITE_API_URL: settings.apiUrl,
      VITE_OAUTH_PUBLIC_URL: settings.oauthPublicUrl,
      VITE_IDENTITY_PUBLIC_URL: settings.identityPublicUrl,
    },
    readyUrls: [url],
    what: 'the dashboard answers (its log: logs/dashboard.log)',
  })
  return url
}
