// The OAuth2 server's endpoint where a device begins (RFC 8628 section 3.1), on its public port.

import * as z from 'zod'
import { callUpstream, invalidAnswer, type Upstream, type UpstreamAnswer, unexpected } from '../http.ts'
import { refusalOf } from './refusal.ts'

export interface DeviceAuthorizationCall {
  clientId: string
  scope?: string | undefined
  audience?: string | undefined
  /** How the client says who it is; without one it only names itself. */
  credentials?: { secret: string; in: 'header' | 'form' } | undefined
}

/** What the server said, codes or refusal, as it said it. */
export interface DeviceAuthorizationAnswer {
  status: number
  body: Readonly<Record<string, unknown>>
}

/** Begins a device flow. Throws `not_configured`, and the `upstream_*` errors for what is no word of the server's. */
export async function requestDeviceAuthorization(
  oauthPublic: Upstream,
  { clientId, scope, audience, credentials }: DeviceAuthorizationCall,
): Promise<DeviceAuthorizationAnswer> {
  const optional = {
    scope,
    audience,
    client_secret: credentials?.in === 'form' ? credentials.secret : undefined,
  }
  const answer = await callUpstream(oauthPublic, {
    method: 'POST',
    // Codes that nobody sees end by themselves, so whoever lost the answer may ask again.
    onlyReads: true,
    path: '/oauth2/device/auth',
    form: { client_id: clientId, ...definedOf(optional) },
    ...(credentials?.in === 'header' && { headers: { authorization: basic(clientId, credentials.secret) } }),
  })
  return processDeviceAuthorization(oauthPublic, answer)
}

const Codes = z.looseObject({ device_code: z.string().min(1), user_code: z.string().min(1) })
/** Both forms have a few hundred bytes. */
const ANSWER_LENGTH_MAX = 64 * 1024

/** What an answer means: codes with 200, or a refusal in the server's own words; a page is somebody else's. */
export function processDeviceAuthorization(
  oauthPublic: Upstream,
  answer: UpstreamAnswer,
): DeviceAuthorizationAnswer {
  if (answer.text.length > ANSWER_LENGTH_MAX) throw invalidAnswer(oauthPublic, answer)
  const body = answer.status === 200 ? Codes.safeParse(answer.json).data : refusalOf(answer)
  if (body === undefined) throw unexpected(oauthPublic, answer)
  return { status: answer.status, body: answer.json as Record<string, unknown> }
}

function definedOf(fields: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).flatMap(([name, text]) => (text ? [[name, text]] : [])))
}

/** Both parts as in a form (RFC 6749 section 2.3.1), and so ASCII. */
function basic(clientId: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)
  return `Basic ${btoa(`${encode(clientId)}:${encode(secret)}`)}`
}
