// What signed addresses allow: to read one file, or to write one, past all policies, until a time. A token holds that
// for one direction, one bucket and one name, and is good for nothing else.

import * as z from 'zod'
import { DomainError } from '../../../errors.ts'
import type { ObjectPlace } from '../names.ts'
import { invalidSignature, signToken, verifyToken } from './signed-token.ts'
import { importSigningKeys, type SigningKey } from './signing-keys.ts'

/** A hundred years. Ten are common among users of Supabase, whose own limit no clock will see. */
export const EXPIRES_IN_SECONDS_MAX = 36_600 * 86_400

/** How long an address lasts; for the bodies of routes. */
export const ExpiresInSeconds = z.int().min(1).max(EXPIRES_IN_SECONDS_MAX)

/** Who made the address. */
export interface Maker {
  /** The user, as `owner_id` has it; null for a key alone. */
  owner: string | null
  /** The project of the key: while it is paused, its addresses rest. Null for an administrator's session. */
  projectId: string | null
}

export interface DownloadGrant extends Maker {
  place: ObjectPlace
  expiresInSeconds: number
  /** The image's size and form, as `transformationText` writes them; undefined for the file as it is. */
  transformations?: string | undefined
}

export interface UploadGrant extends Maker {
  place: ObjectPlace
  expiresInSeconds: number
  /** Whether a file of this name may be replaced. */
  upsert: boolean
}

export interface SignedDownload extends Maker {
  expiresAt: Date
  transformations: string | undefined
}

export interface SignedUpload extends Maker {
  expiresAt: Date
  upsert: boolean
}

/** Where a download is asked for. An address of an image in one size does not give out the file itself. */
export type DownloadForm = 'file' | 'image'

/**
 * Makes and checks tokens. All throw `not_configured` without a key. Checking throws `signature_expired` for a token
 * that was good for this once, and `invalid_signature` for any other. An upload counts from its beginning: what takes
 * longer than the token is not cut off, so check once.
 */
export interface SignedUrls {
  /** Throws `validation_failed` for a time outside of `ExpiresInSeconds`. */
  signDownload(grant: DownloadGrant, now: Date): Promise<string>
  /** As `signDownload`. */
  signUpload(grant: UploadGrant, now: Date): Promise<string>
  verifyDownload(token: string, place: ObjectPlace, form: DownloadForm, now: Date): Promise<SignedDownload>
  verifyUpload(token: string, place: ObjectPlace, now: Date): Promise<SignedUpload>
  /** For going on with an upload that has begun: the signature and the direction count, and no more the time. */
  verifyUploadBegun(token: string): Promise<Maker>
}

// `url` and `upsert` are named as Supabase names them.
const Common = z.object({
  url: z.string(),
  owner: z.string().nullable(),
  project: z.uuid().nullable(),
  exp: z.int(),
})
const DownloadClaims = Common.extend({
  use: z.literal('download'),
  transformations: z.string().optional(),
})
const UploadClaims = Common.extend({ use: z.literal('upload'), upsert: z.boolean() })

/** With the keys of STORAGE_SIGNING_KEYS: the first signs, all are taken. */
export function makeSignedUrls(keysBase64: readonly string[]): SignedUrls {
  let imported: Promise<SigningKey[]> | undefined
  const loadKeys = (): Promise<SigningKey[]> => {
    imported ??= importSigningKeys(keysBase64)
    return imported
  }
  const sign = async (claims: Record<string, unknown>, grant: DownloadGrant | UploadGrant, now: Date) => {
    const [first] = await loadKeys()
    if (first === undefined) throw nothingIsSigned()
    const { place, owner, projectId, expiresInSeconds } = grant
    checkExpiry(expiresInSeconds)
    return signToken(
      first,
      { ...claims, url: urlOf(place), owner, project: projectId },
      expiresInSeconds,
      now,
    )
  }
  const verify = async <Claims extends z.output<typeof Common>>(
    shape: z.ZodType<Claims>,
    token: string,
    place: ObjectPlace,
    now: Date,
  ) => {
    const keys = await loadKeys()
    if (keys.length === 0) throw nothingIsSigned()
    const claims = shape.safeParse(await verifyToken(keys, token, now))
    if (!claims.success || !isOf(claims.data, place)) throw invalidSignature()
    return claims.data
  }
  return {
    signDownload: (grant, now) =>
      sign({ use: 'download', transformations: grant.transformations }, grant, now),
    signUpload: (grant, now) => sign({ use: 'upload', upsert: grant.upsert }, grant, now),
    async verifyDownload(token, place, form, now) {
      const claims = await verify(DownloadClaims, token, place, now)
      if (claims.transformations !== undefined && form === 'file') throw invalidSignature()
      return { ...makerOf(claims), transformations: claims.transformations }
    },
    async verifyUpload(token, place, now) {
      const claims = await verify(UploadClaims, token, place, now)
      return { ...makerOf(claims), upsert: claims.upsert }
    },
    async verifyUploadBegun(token) {
      const claims = UploadClaims.safeParse(await verifyToken(await loadKeys(), token, BEFORE_ALL))
      if (!claims.success) throw invalidSignature()
      return makerOf(claims.data)
    },
  }
}

/** No token has ended yet then. */
const BEFORE_ALL = new Date(0)

function urlOf({ bucketId, name }: ObjectPlace): string {
  return `${bucketId}/${name}`
}

/** A path may say a bucket `a%2Fb`, whose addresses would read as those of the bucket `a`. */
function isOf({ url }: z.output<typeof Common>, place: ObjectPlace): boolean {
  return url === urlOf(place) && !place.bucketId.includes('/')
}

function makerOf({ owner, project, exp }: z.output<typeof Common>): Maker & { expiresAt: Date } {
  return { owner, projectId: project, expiresAt: new Date(exp * 1_000) }
}

function checkExpiry(expiresInSeconds: number): void {
  if (ExpiresInSeconds.safeParse(expiresInSeconds).success) return
  throw new DomainError('validation_failed', 'A signed address cannot last that long, or that short.', {
    hint: `Say whole seconds from 1 to ${EXPIRES_IN_SECONDS_MAX}, which are a hundred years.`,
  })
}

function nothingIsSigned(): DomainError {
  return new DomainError('not_configured', 'The deployment has no key that addresses are signed with.', {
    detail: 'STORAGE_SIGNING_KEYS is not set.',
    hint: 'Set STORAGE_SIGNING_KEYS to base64 of 32 random bytes (openssl rand -base64 32).',
  })
}
