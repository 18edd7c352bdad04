// What the tests of consent share: its screen in a browser, and what reached the OAuth2 server.

import { showConsent } from '../../../src/features/oauth/bridge/show-consent.ts'
import { bridge, hidden, nextCookies, REQUEST_URL, SIGNED_IN, type World } from './bridge-support.ts'

export const ACCEPT = 'PUT /admin/oauth2/auth/requests/consent/accept'
export const REJECT = 'PUT /admin/oauth2/auth/requests/consent/reject'
export const SIGNED_OUT = { code: 'session_required', restartUrl: REQUEST_URL }

/** The calls that granted or denied something. */
export const answered = (log: string[]) => log.filter(call => call.startsWith('PUT'))

/** The screen, opened in a browser, and what its form sends. */
export async function openScreen(world: World = {}) {
  const opened = bridge(world)
  const page = await showConsent(opened.deps, 'c', SIGNED_IN)
  const cookies = nextCookies(page, SIGNED_IN)
  const fields: [string, string][] = [
    ['challenge', hidden(page, 'challenge')],
    ['form_token', hidden(page, 'form_token')],
  ]
  return { ...opened, page, cookies, fields }
}
