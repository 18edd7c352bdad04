/**
 * Owns the server's side of the start of a Postgres session, as bytes: what a client may open with, and the gateway's
 * answers to it. Pure: no I/O. Postgres itself bounds a start-up packet to 10 000 bytes.
 */
import type { SqlError } from './errors.ts'
import type { Session } from './session.ts'

/** A start-up packet without its length and code is at most this long. */
export const STARTUP_BYTES_MAX = 10_000
/** A password is at most this long, its terminator included. */
export const PASSWORD_BYTES_MAX = 4_096
/** AuthenticationCleartextPassword. */
export const ASK_FOR_PASSWORD = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3])
/** The answer to a request for encryption inside the tunnel. */
export const NO_ENCRYPTION = Buffer.from('N')

/** What a client opens with; the code decides. */
export type OpeningKind = 'startup' | 'encryption' | 'cancel' | 'unsupported'

/** The meaning of the code that follows the length of an opening packet. */
export function openingKind(code: number): OpeningKind {
  if (code === 80_877_102) return 'cancel'
  if (code === 80_877_103 || code === 80_877_104) return 'encryption'
  return code >>> 16 === 3 ? 'startup' : 'unsupported'
}

/** The name-value pairs of a start-up packet's body; undefined when they are not pairs of texts. */
export function readStartupParameters(body: Buffer): Map<string, string> | undefined {
  const texts = body.toString('utf8').split('\0')
  // Each text ends with a NUL, and one more ends the list.
  if (texts.pop() !== '' || texts.pop() !== '' || texts.length % 2 !== 0) return undefined
  const parameters = new Map<string, string>()
  for (let i = 0; i < texts.length; i += 2) parameters.set(texts[i] ?? '', texts[i + 1] ?? '')
  return parameters
}

/** AuthenticationOk, every ParameterStatus, BackendKeyData and ReadyForQuery, as the session's server sent them. */
export function greeting(session: Session): Buffer {
  const key = Buffer.alloc(8)
  key.writeInt32BE(session.processId, 0)
  key.writeInt32BE(session.secretKey, 4)
  return Buffer.concat([
    message('R', Buffer.alloc(4)),
    ...session.parameterStatuses.map(([name, value]) => message('S', Buffer.from(`${name}\0${value}\0`))),
    message('K', key),
    message('Z', Buffer.from('I')),
  ])
}

/** A fatal ErrorResponse. */
export function fatalResponse(error: SqlError): Buffer {
  const { code, detail, hint } = error.fields
  const fields = ['SFATAL', 'VFATAL', `C${code}`, `M${error.message}`]
  if (detail !== undefined) fields.push(`D${detail}`)
  if (hint !== undefined) fields.push(`H${hint}`)
  return message('E', Buffer.from(`${fields.map(field => field.replaceAll('\0', '')).join('\0')}\0\0`))
}

function message(code: string, body: Buffer): Buffer {
  const header = Buffer.alloc(5)
  header.write(code, 0, 'latin1')
  header.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([header, body])
}
