// The device screens: a code is typed in (or compared), and ties this browser to the device that shows it. The page
// never submits by itself: a code in the address must not be enough (RFC 8628 section 5.4).

import * as z from 'zod'
import { acceptUserCode, type DeviceAccepted } from '../../../clients/oauth-server/device-requests.ts'
import { DomainError } from '../../../errors.ts'
import { type BridgeAnswer, jsonAnswer, pageAnswer } from './answers.ts'
import type { BridgeDeps } from './bridge-deps.ts'
import { challengeEnded } from './bridge-error.ts'
import { continueAt } from './continue.ts'
import { isCode, keepDeviceCode, plainCode, spacedCode } from './device-code.ts'
import { openForm, requireOwnForm } from './form-token.ts'
import { Challenge, readSubmitted, type Submission } from './submitted.ts'

type DeviceDeps = Pick<BridgeDeps, 'config' | 'upstreams'>

/** The code of a device, as scripts send it. */
export const UserCode = z
  .strictObject({ challenge: Challenge, user_code: z.string().min(1).max(64) })
  .meta({ id: 'UserCode' })

/** GET bridge/device: asks for the code, with the one of the address filled in. */
export async function showDevice(
  deps: DeviceDeps,
  query: { device_challenge: string; user_code?: string | undefined },
  cookieHeader: string | null,
): Promise<BridgeAnswer> {
  const code = plainCode(query.user_code ?? '')
  const shown = isCode(code) ? spacedCode(code) : ''
  return await devicePage(deps, cookieHeader, { challenge: query.device_challenge, code: shown })
}

/** POST bridge/device. A code that no device shows is the page again, or `user_code_invalid` for scripts. */
export async function answerDevice(deps: DeviceDeps, submission: Submission): Promise<BridgeAnswer> {
  const submitted = await readSubmitted(UserCode, submission)
  const { cookieHeader } = submission
  if (submitted.kind === 'json') {
    const { challenge, user_code } = submitted.body
    const { accepted, code } = await acceptCode(deps, challenge, plainCode(user_code))
    if (accepted.outcome === 'wrong_code') throw wrongCode()
    const cookies = [await keepDeviceCode(deps, cookieHeader, code)]
    return { ...jsonAnswer({ redirect_to: onward(accepted) }), cookies }
  }
  const { fields } = submitted
  const challenge = await requireOwnForm(deps, fields, cookieHeader)
  const { accepted, code } = await acceptCode(deps, challenge, plainCode(fields.get('user_code') ?? ''))
  if (accepted.outcome === 'wrong_code') {
    const typed = spacedCode(code.slice(0, 32))
    return await devicePage(deps, cookieHeader, { challenge, code: typed, isWrong: true })
  }
  return await continueAt(deps, onward(accepted), [await keepDeviceCode(deps, cookieHeader, code)])
}

type PageDeps = Pick<BridgeDeps, 'config'>

/** GET bridge/device/success: where the OAuth2 server sends the browser when the device has what it waits for. */
export function showDeviceSuccess(deps: PageDeps): Promise<BridgeAnswer> {
  return endPage(deps, 'Your device is connected', 'You can close this page and continue on the device.')
}

/** Where a device was denied: nobody tells the device, so the person is told what becomes of it. */
export function showDeviceDenied(deps: PageDeps): Promise<BridgeAnswer> {
  const text = 'It gets no access to your account. You can close this page.'
  return endPage(deps, 'The device was not connected', text)
}

async function endPage({ config }: PageDeps, title: string, text: string): Promise<BridgeAnswer> {
  const { renderMessagePage } = await import('./pages/message-page.tsx')
  return pageAnswer(config, frame => renderMessagePage({ mood: 'good', title, text }, frame))
}

async function devicePage(
  deps: DeviceDeps,
  cookieHeader: string | null,
  { challenge, code, isWrong = false }: { challenge: string; code: string; isWrong?: boolean },
): Promise<BridgeAnswer> {
  const { token, cookies } = await openForm(deps, cookieHeader, challenge)
  const { renderDevicePage } = await import('./pages/device-page.tsx')
  const view = { challenge, formToken: token, code, isWrong }
  return pageAnswer(deps.config, frame => renderDevicePage(view, frame), {
    cookies,
    status: isWrong ? 400 : 200,
  })
}

/**
 * As typed, then in capitals, then in small letters: the server tells cases apart, and may be set to codes of one case
 * alone. Then what is typed in another is the same code (RFC 8628 section 6.1). `code` is what the device shows.
 */
async function acceptCode(
  { upstreams }: DeviceDeps,
  challenge: string,
  typed: string,
): Promise<{ accepted: DeviceAccepted; code: string }> {
  const forms = isCode(typed) ? new Set([typed, typed.toUpperCase(), typed.toLowerCase()]) : []
  for (const code of forms) {
    const accepted = await acceptUserCode(upstreams.oauthAdmin, challenge, code)
    if (accepted.outcome !== 'wrong_code') return { accepted, code }
  }
  return { accepted: { outcome: 'wrong_code' }, code: typed }
}

function onward(accepted: Exclude<DeviceAccepted, { outcome: 'wrong_code' }>): string {
  if (accepted.outcome === 'accepted') return accepted.redirectTo
  throw challengeEnded('device', accepted, undefined)
}

function wrongCode(): DomainError {
  return new DomainError('user_code_invalid', 'No device waits with this code.', {
    hint: 'Compare it with the device, or let the device show a new one.',
  })
}
