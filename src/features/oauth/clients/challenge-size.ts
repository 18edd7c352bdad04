// How much of an address a client takes. The OAuth2 server keeps a sign-in in the address of its pages: as JSON with
// the whole record of the client in it, compressed with gzip, sealed, in base64url. So a record that is too large is
// one with which nobody can sign in. What it takes is measured by doing the same.

import { DomainError } from '../../../errors.ts'
import { DEVICE_CODE_GRANT } from './fields.ts'
import type { OAuthClientIn } from './schemas.ts'

/**
 * Characters of a challenge that the record may take. An address has 16 384 on the platform, and a challenge as many
 * here. The rest is for the request with its parameters, ids and marks, and for the page's own address.
 */
export const RECORD_CHARACTERS_MAX = 12_288

/** A client by the names of its fields. */
type ClientRecord = Readonly<Record<string, unknown>> & { grant_types: readonly string[] }

/**
 * Refuses a record that is too large for the address of a sign-in with `validation_failed`, naming what takes the most.
 * `before`: what is stored; one that was too large already may be changed to no larger one. Fields that other tools
 * have written are not counted.
 */
export async function refuseLargeRecord(
  after: ClientRecord,
  sent: OAuthClientIn,
  before?: ClientRecord,
): Promise<void> {
  if (!signsPeopleIn(after)) return
  const characters = await challengeCharacters(after)
  if (characters <= RECORD_CHARACTERS_MAX) return
  if (before !== undefined && signsPeopleIn(before) && (await challengeCharacters(before)) >= characters)
    return
  const { field, characters: most } = await largestField(after)
  const place = field in sent ? `body.${field}` : field
  throw new DomainError(
    'validation_failed',
    `${place}: too long: it takes ${most} characters of a sign-in's address, the whole record ${characters}, ` +
      `and ${RECORD_CHARACTERS_MAX} are there for it.`,
    {
      hint:
        'Nothing was changed. The OAuth2 server puts the record, compressed, into the address of each sign-in, and ' +
        'nobody could sign in with this one. Shorten it, or divide the addresses among several clients.',
    },
  )
}

/** An empty list is read as authorization_code. */
function signsPeopleIn({ grant_types }: ClientRecord): boolean {
  const withPeople = ['authorization_code', 'implicit', DEVICE_CODE_GRANT]
  return grant_types.length === 0 || grant_types.some(grant => withPeople.includes(grant))
}

async function largestField(record: ClientRecord): Promise<{ field: string; characters: number }> {
  const sizes = await Promise.all(
    Object.entries(record).map(async ([field, value]) => ({
      field,
      characters: await challengeCharacters(value),
    })),
  )
  return sizes.reduce((largest, size) => (size.characters > largest.characters ? size : largest))
}

/** Of base64 in the end, four for three bytes. */
export async function challengeCharacters(value: unknown): Promise<number> {
  const json = new Blob([JSON.stringify(value ?? null)]).stream()
  const { byteLength } = await new Response(json.pipeThrough(new CompressionStream('gzip'))).arrayBuffer()
  return Math.ceil((byteLength * 4) / 3)
}
