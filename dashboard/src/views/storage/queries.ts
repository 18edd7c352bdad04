import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, patientApi, type Schema } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { errorAbout, storageAnswer } from './error-words.ts'

export type Bucket = Schema<'Bucket'>
export type BucketCounted = Schema<'BucketCounted'>
export type BucketIn = Schema<'BucketIn'>
export type StoredObject = Schema<'StoredObject'>
export type SignedLink = Schema<'SignedAddresses'>['data'][number]
export type Place = Schema<'ObjectMove'>['from']

const FILES_PER_PAGE = 500
/** As many names as one call takes. */
const NAMES_MAX = 1_000

/** By name; one page holds as many as a deployment has. */
export const bucketsQuery = queryOptions({
  queryKey: ['storage', 'buckets'],
  queryFn: ({ signal }) =>
    storageAnswer(api.GET('/api/storage/buckets', { params: { query: { limit: 1_000 } }, signal })),
})

export function bucketQuery(bucket: string) {
  return queryOptions({
    queryKey: ['storage', 'bucket', bucket],
    queryFn: ({ signal }) =>
      storageAnswer(api.GET('/api/storage/buckets/{bucket}', { params: { path: { bucket } }, signal })),
  })
}

/** What lies right in a folder, and its folders. `prefix`: the folder, and the beginning of a name in it. */
export function filesQuery(bucket: string, prefix: string) {
  return infiniteQueryOptions({
    queryKey: ['storage', 'files', bucket, prefix],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam: cursor }) => {
      const query = { prefix, delimiter: '/' as const, limit: FILES_PER_PAGE, cursor }
      const params = { path: { bucket }, query }
      return storageAnswer(api.GET('/api/storage/objects/{bucket}', { params, signal }))
    },
    getNextPageParam: page => page.next_cursor,
  })
}

export function fileQuery(bucket: string, name: string) {
  return queryOptions({
    queryKey: ['storage', 'file', bucket, name],
    queryFn: ({ signal }) =>
      storageAnswer(
        api.GET('/api/storage/info/{bucket}/{name}', { params: { path: { bucket, name } }, signal }),
      ),
  })
}

/** The beginning of a text, which may end within a character. */
export function textQuery({ bucket_id: bucket, name, version }: StoredObject, bytesMax: number) {
  return queryOptions({
    queryKey: ['storage', 'text', bucket, name, version],
    queryFn: ({ signal }) => {
      const params = { path: { bucket, name }, header: { Range: `bytes=0-${bytesMax - 1}` } }
      const call = api.GET('/api/storage/objects/{bucket}/{name}', {
        params,
        signal,
        parseAs: 'text',
        cache: 'no-cache',
      })
      return storageAnswer(call)
    },
    // What a version holds does not change.
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Names of all files in these folders, and in the folders below. */
export function namesBelowQuery(bucket: string, folders: readonly string[]) {
  return queryOptions({
    queryKey: ['storage', 'below', bucket, folders],
    queryFn: async ({ signal }) => {
      const names: string[] = []
      for (const prefix of folders) {
        let cursor: string | undefined
        do {
          const params = { path: { bucket }, query: { prefix, limit: NAMES_MAX, cursor } }
          const page = await storageAnswer(api.GET('/api/storage/objects/{bucket}', { params, signal }))
          names.push(...page.data.map(({ name }) => name))
          cursor = page.next_cursor ?? undefined
        } while (cursor !== undefined)
      }
      return names
    },
    initialData: folders.length === 0 ? [] : undefined,
    // Others write meanwhile: it is asked anew each time.
    gcTime: 0,
    staleTime: 0,
  })
}

export const policiesQuery = queryOptions({
  queryKey: ['storage', 'policies'],
  queryFn: ({ signal }) => storageAnswer(api.GET('/api/storage/policies', { signal })),
})

/** After each change: lists, counts and records are read again. */
export function readAgain(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['storage'] })
}

export async function createBucket(body: BucketIn): Promise<Bucket> {
  const bucket = await storageAnswer(api.POST('/api/storage/buckets', { body }))
  void readAgain()
  return bucket
}

export async function changeBucket(bucket: string, body: Schema<'BucketPatch'>): Promise<void> {
  await storageAnswer(api.PATCH('/api/storage/buckets/{bucket}', { params: { path: { bucket } }, body }))
  void readAgain()
}

/** Answers how many objects were deleted. A call deletes what it can in 15 s; the next one goes on. */
export async function emptyBucket(bucket: string): Promise<number> {
  let all = 0
  for (;;) {
    const call = api.POST('/api/storage/buckets/{bucket}/empty', { params: { path: { bucket } } })
    const { deleted, complete } = await storageAnswer(call)
    all += deleted
    if (!complete && deleted > 0) continue
    void readAgain()
    return all
  }
}

export async function deleteBucket(bucket: string): Promise<void> {
  await storageAnswer(api.DELETE('/api/storage/buckets/{bucket}', { params: { path: { bucket } } }))
  queryClient.removeQueries({ queryKey: ['storage', 'bucket', bucket] })
  void queryClient.invalidateQueries({ queryKey: bucketsQuery.queryKey })
}

/** Answers how many there were. */
export async function deleteFiles(bucket: string, names: readonly string[]): Promise<number> {
  let deleted = 0
  try {
    for (let from = 0; from < names.length; from += NAMES_MAX) {
      const body = { names: names.slice(from, from + NAMES_MAX) }
      const call = api.DELETE('/api/storage/objects/{bucket}', { params: { path: { bucket } }, body })
      deleted += (await storageAnswer(call)).data.length
    }
    return deleted
  } finally {
    void readAgain()
  }
}

/** One by one, up to the first that fails: its error says which. */
export async function moveFiles(moves: readonly { from: Place; to: Place }[]): Promise<void> {
  try {
    for (const body of moves) {
      try {
        await storageAnswer(patientApi.POST('/api/storage/move', { body }))
      } catch (err) {
        throw moves.length > 1 ? errorAbout(body.to.name, err) : err
      }
    }
  } finally {
    void readAgain()
  }
}

export async function copyFile(from: Place, to: Place, replace: boolean): Promise<void> {
  await storageAnswer(patientApi.POST('/api/storage/copy', { body: { from, to, replace } }))
  void readAgain()
}

/** Links for whoever has them, in the order of the names; nothing is kept of them here. */
export async function makeLinks(
  bucket: string,
  names: readonly string[],
  expiresInSeconds: number,
): Promise<SignedLink[]> {
  const links: SignedLink[] = []
  for (let from = 0; from < names.length; from += NAMES_MAX) {
    const part = names.slice(from, from + NAMES_MAX)
    const body = { bucket, names: part, expires_in: expiresInSeconds }
    links.push(...(await storageAnswer(api.POST('/api/storage/sign/download', { body }))).data)
  }
  return links
}
