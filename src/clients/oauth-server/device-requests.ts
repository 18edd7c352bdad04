// Device requests of the OAuth2 server's admin API: the code that somebody read off a device. There is nothing to read
// and no way to reject (contracts of the Hydra wire, section 2.6).

import type { Upstream, UpstreamAnswer } from '../http.ts'
import { type Accepted, callChallenge, processAccepted } from './challenge.ts'
import { refusalOf } from './refusal.ts'

/** As other answers, and that no device waits with this code: it is wrong, used or too old. */
export type DeviceAccepted = Accepted | { outcome: 'wrong_code' }

/** Ties a browser to the device that shows this code. Throws the `upstream_*` errors and `not_configured`. */
export async function acceptUserCode(
  oauthAdmin: Upstream,
  challenge: string,
  userCode: string,
): Promise<DeviceAccepted> {
  const target = { kind: 'device', challenge, verb: 'accept' } as const
  return processUserCode(
    oauthAdmin,
    await callChallenge(oauthAdmin, target, { json: { user_code: userCode } }),
  )
}

export function processUserCode(oauthAdmin: Upstream, answer: UpstreamAnswer): DeviceAccepted {
  const isRefused = answer.status === 400 && refusalOf(answer)?.error === 'invalid_request'
  return isRefused ? { outcome: 'wrong_code' } : processAccepted(oauthAdmin, answer)
}
