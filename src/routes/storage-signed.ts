// Makes signed addresses. What they lead to is in `supabase-storage-public.ts`.

import { placeOfAll } from '../features/storage/names.ts'
import { recorded } from '../features/storage/recorded.ts'
import { DownloadAddressesIn, SignedAddresses, UploadAddressesIn } from '../features/storage/schemas.ts'
import { signDownloadAddresses, signUploadAddresses } from '../features/storage/signed/sign-addresses.ts'
import { makerOf, storageCall } from '../features/storage/storage-call.ts'
import { defineRoute, type HandlerInput } from '../http/route.ts'

const DOWNLOADS = { '/v1/storage/sign/download': 'any_key', '/api/storage/sign/download': 'admin' } as const
const UPLOADS = { '/v1/storage/sign/upload': 'any_key', '/api/storage/sign/upload': 'admin' } as const

type Input = Pick<
  HandlerInput<typeof DOWNLOADS, undefined, typeof DownloadAddressesIn>,
  'principal' | 'caller' | 'body' | 'deps'
>

/** The log has the names, and no token. */
function recordedSigning(
  { deps, principal, body }: Input,
  caller: Input['caller'],
  perform: () => Promise<SignedAddresses>,
) {
  const { bucket, names, expires_in } = body
  const target = placeOfAll(bucket, names)
  return recorded(deps, principal, caller, target, perform, () => ({ names, expires_in }))
}

export const storageSignedRoutes = [
  defineRoute({
    id: 'storage.sign_downloads',
    method: 'post',
    mounts: DOWNLOADS,
    summary: 'Make addresses that anybody can read files by, for a time',
    description:
      'For files that the caller may read. An address outlives a rotation of the API key; it rests while the ' +
      'project is paused.',
    body: DownloadAddressesIn,
    example: { bucket: 'avatars', names: ['ada/portrait.png'], expires_in: 3_600 },
    unaudited: 'key_data',
    response: SignedAddresses,
    handle: input => {
      const call = storageCall(input, 'object.sign_many')
      return recordedSigning(input, input.caller, () =>
        signDownloadAddresses(input.deps, call, makerOf(input), input.body),
      )
    },
  }),
  defineRoute({
    id: 'storage.sign_uploads',
    method: 'post',
    mounts: UPLOADS,
    summary: 'Make addresses that anybody can upload a file to, for a time',
    description:
      'By PUT, for files that the caller may write now. Policies are not asked again. The same token is taken as ' +
      '`x-signature` of a resumable upload.',
    body: UploadAddressesIn,
    example: { bucket: 'avatars', names: ['ada/portrait.png'] },
    unaudited: 'key_data',
    response: SignedAddresses,
    handle: input => {
      const call = storageCall(input, 'object.sign_upload_url')
      return recordedSigning(input, input.caller, () =>
        signUploadAddresses(input.deps, call, makerOf(input), input.body),
      )
    },
  }),
]
