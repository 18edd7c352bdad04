// Stops: an address of one file, one direction or one size from opening anything else, and a token of somebody else's
// making from opening anything.

import { generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { verifyAccessToken } from '../../../src/features/oauth/end-user/access-token.ts'
import {
  type DownloadGrant,
  EXPIRES_IN_SECONDS_MAX,
  makeSignedUrls,
} from '../../../src/features/storage/signed/signed-urls.ts'
import { importSigningKeys, type SigningKey } from '../../../src/features/storage/signed/signing-keys.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const SECONDS = NOW.getTime() / 1_000
const [OLD, NEW] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(48, 2).toString('base64')] as const
const PROJECT = '0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a'
const PLACE = { bucketId: 'photos', name: 'größe/a?b "c".png' }
const GRANT: DownloadGrant = { place: PLACE, owner: 'alice', projectId: PROJECT, expiresInSeconds: 60 }
const urls = makeSignedUrls([NEW])

const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000)
const refused = (code: string) => expect.objectContaining({ code })

describe('a signed address', () => {
  it('says who made it, for which project, what it allows, and when it ends', async () => {
    const download = await urls.signDownload({ ...GRANT, transformations: 'width:100' }, NOW)
    expect(await urls.verifyDownload(download, PLACE, 'image', later(59))).toEqual({
      owner: 'alice',
      projectId: PROJECT,
      expiresAt: later(60),
      transformations: 'width:100',
    })
    const upload = await urls.signUpload({ ...GRANT, owner: null, projectId: null, upsert: true }, NOW)
    expect(await urls.verifyUpload(upload, PLACE, NOW)).toEqual({
      owner: null,
      projectId: null,
      expiresAt: later(60),
      upsert: true,
    })
  })

  it('is good for its direction, bucket, name and form alone', async () => {
    const download = await urls.signDownload(GRANT, NOW)
    const upload = await urls.signUpload({ ...GRANT, upsert: false }, NOW)
    const image = await urls.signDownload({ ...GRANT, transformations: 'width:100' }, NOW)
    const attempts = [
      () => urls.verifyUpload(download, PLACE, NOW),
      () => urls.verifyDownload(upload, PLACE, 'file', NOW),
      () => urls.verifyDownload(image, PLACE, 'file', NOW),
      () => urls.verifyDownload(download, { ...PLACE, bucketId: 'other' }, 'file', NOW),
      () => urls.verifyDownload(download, { ...PLACE, name: `${PLACE.name}.bak` }, 'file', NOW),
      // The same text, cut elsewhere.
      () => urls.verifyDownload(download, { bucketId: 'photos/größe', name: 'a?b "c".png' }, 'file', NOW),
    ]
    for (const attempt of attempts) await expect(attempt()).rejects.toEqual(refused('invalid_signature'))
  })

  it('ends with its second, and says so only where it was good', async () => {
    const token = await urls.signDownload(GRANT, NOW)
    await expect(urls.verifyDownload(token, PLACE, 'file', later(60))).rejects.toEqual(
      refused('signature_expired'),
    )
    const foreign = await makeSignedUrls([OLD]).signDownload(GRANT, NOW)
    await expect(urls.verifyDownload(foreign, PLACE, 'file', later(60))).rejects.toEqual(
      refused('invalid_signature'),
    )
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, EXPIRES_IN_SECONDS_MAX + 1])(
    'cannot last %s seconds',
    async expiresInSeconds => {
      await expect(urls.signDownload({ ...GRANT, expiresInSeconds }, NOW)).rejects.toEqual(
        refused('validation_failed'),
      )
    },
  )

  it('can last a hundred years', async () => {
    const token = await urls.signDownload({ ...GRANT, expiresInSeconds: EXPIRES_IN_SECONDS_MAX }, NOW)
    const { expiresAt } = await urls.verifyDownload(token, PLACE, 'file', NOW)
    expect(expiresAt.getUTCFullYear()).toBe(2126)
  })
})

describe('keys', () => {
  it('the first signs, all verify, and one that is gone ends its addresses', async () => {
    const before = await makeSignedUrls([OLD]).signDownload(GRANT, NOW)
    const rotated = makeSignedUrls([NEW, OLD])
    await expect(rotated.verifyDownload(before, PLACE, 'file', NOW)).resolves.toMatchObject({
      owner: 'alice',
    })
    const after = await rotated.signDownload(GRANT, NOW)
    await expect(urls.verifyDownload(after, PLACE, 'file', NOW)).resolves.toMatchObject({ owner: 'alice' })
    await expect(urls.verifyDownload(before, PLACE, 'file', NOW)).rejects.toEqual(
      refused('invalid_signature'),
    )
  })

  it('without one nothing is signed or taken, and the error names the variable', async () => {
    const none = makeSignedUrls([])
    const token = await urls.signDownload(GRANT, NOW)
    for (const attempt of [none.signDownload(GRANT, NOW), none.verifyDownload(token, PLACE, 'file', NOW)])
      await expect(attempt).rejects.toMatchObject({
        code: 'not_configured',
        hint: expect.stringContaining('STORAGE_SIGNING_KEYS'),
      })
  })

  it('are named by a hash that holds nothing of them', async () => {
    const [key] = await importSigningKeys([NEW])
    expect(key?.id).toMatch(/^[0-9a-f]{16}$/)
    const [unpadded] = await importSigningKeys([NEW.replaceAll('=', '')])
    expect(unpadded?.id).toBe(key?.id)
  })
})

describe('a token of another make', async () => {
  const [key] = (await importSigningKeys([NEW])) as [SigningKey]
  const { privateKey } = await generateKeyPair('RS256')
  const claims: JWTPayload = {
    use: 'download',
    url: 'photos/a',
    owner: null,
    project: null,
    iat: SECONDS,
    exp: SECONDS + 60,
  }
  const header = { alg: 'HS256', typ: 'storage+jwt', kid: key.id }
  const made = (changes: Record<string, unknown>, headerChanges: object = {}) =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader({ ...header, ...headerChanges }).sign(key.key)
  const good = await made({})
  const cut = (index: number, text: string) => good.split('.').with(index, text).join('.')
  const verify = (token: string) => urls.verifyDownload(token, { bucketId: 'photos', name: 'a' }, 'file', NOW)

  it('is refused for what is not as ours', async () => {
    await expect(verify(good)).resolves.toMatchObject({ owner: null })
    const none = new UnsecuredJWT(claims).encode()
    const asymmetric = new SignJWT(claims).setProtectedHeader({ ...header, alg: 'RS256' }).sign(privateKey)
    const tokens = {
      'no algorithm': none,
      'no algorithm, with our header': `${btoa(JSON.stringify({ ...header, alg: 'none' }))}.${good.split('.')[1]}.`,
      'another algorithm': await asymmetric,
      'no kid': await made({}, { kid: undefined }),
      'an unknown kid': await made({}, { kid: '0000000000000000' }),
      'a kid that is a path': await made({}, { kid: '../../dev/null' }),
      'a type of access tokens': await made({}, { typ: 'at+jwt' }),
      'no type': await made({}, { typ: undefined }),
      'no end': await made({ exp: undefined }),
      'an end that is no number': await made({ exp: '9999999999' }),
      'no use': await made({ use: undefined }),
      'no project': await made({ project: undefined }),
      'changed claims': cut(1, btoa(JSON.stringify({ ...claims, url: 'photos/b' })).replace(/=+$/, '')),
      'no signature': cut(2, ''),
      garbage: 'garbage',
      nothing: '',
      'five parts': 'a.b.c.d.e',
      'a header of megabytes': `${'a'.repeat(4_000_000)}.b.c`,
      'claims that are too long': await made({ more: 'a'.repeat(10_000) }),
    }
    for (const [what, token] of Object.entries(tokens))
      await expect(verify(token), what).rejects.toEqual(refused('invalid_signature'))
  })

  it('ours is no access token, whatever its claims', async () => {
    const claimed = await made({
      iss: 'https://issuer.example',
      sub: 'alice',
      client_id: 'app',
      scope: 'openid',
    })
    const find = () => key.key
    const rules = {
      issuers: ['https://issuer.example'],
      audience: undefined,
      keys: { find, findSigner: find },
      now: () => NOW,
    }
    await expect(verifyAccessToken(rules, claimed)).rejects.toEqual(refused('invalid_access_token'))
  })
})
