// How a device asks for its tokens. Pure. RFC 8628 sections 3.2 and 3.5.

import { type HttpAnswer, hasFailed, type NoAnswer, textOf } from './http-exchange.ts'
import { isPending } from './run.ts'

const DEFAULT_INTERVAL_SECONDS = 5
const SLOWER_BY_SECONDS = 5

export interface DeviceCodes {
  deviceCode: string
  userCode: string
  verificationUri: string
  /** With the code in it, where the server gives one. */
  verificationUriComplete: string | undefined
  expiresInSeconds: number | undefined
  intervalSeconds: number
}

/** The codes of the device endpoint's answer; undefined for a refusal. */
export function readDeviceCodes(answer: HttpAnswer | NoAnswer | undefined): DeviceCodes | undefined {
  if (answer === undefined || hasFailed(answer) || answer.status !== 200) return undefined
  const [deviceCode, userCode, verificationUri] = ['device_code', 'user_code', 'verification_uri'].map(
    field => textOf(answer, field),
  )
  if (deviceCode === undefined || userCode === undefined || verificationUri === undefined) return undefined
  const { interval, expires_in: expiresIn } = answer.json ?? {}
  return {
    deviceCode,
    userCode,
    verificationUri,
    verificationUriComplete: textOf(answer, 'verification_uri_complete'),
    expiresInSeconds: typeof expiresIn === 'number' ? expiresIn : undefined,
    intervalSeconds: typeof interval === 'number' && interval > 0 ? interval : DEFAULT_INTERVAL_SECONDS,
  }
}

/** A code as the bridge's page shows it: what is compared should look the same. The page takes it either way. */
export function inGroups(userCode: string): string {
  return userCode.replace(/[\s-]/g, '').replace(/(.{4})(?=.)/g, '$1-')
}

/** Seconds until the device may ask again; undefined: it must not. */
export function secondsToNextPoll(
  intervalSeconds: number,
  answer: HttpAnswer | NoAnswer,
): number | undefined {
  if (!isPending(answer)) return undefined
  return textOf(answer, 'error') === 'slow_down' ? intervalSeconds + SLOWER_BY_SECONDS : intervalSeconds
}
