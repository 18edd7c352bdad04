// Relation tuples read and changed, for all views of permissions. Every change has all of them read again.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { printTuple, type Tuple } from './tuple-text.ts'

/** As many as one call writes or deletes. */
export const PACKET_SIZE = 500

export interface TupleFilter {
  namespace?: string
  object?: string
  relation?: string
  /** In its text form. */
  subject?: string
}

export const namespacesQuery = queryOptions({
  queryKey: ['tuples', 'namespaces'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/permsrv/namespaces', { signal })),
  staleTime: 60_000,
})

/** Page by page, as the server has them. */
export function tuplePagesQuery(filter: TupleFilter, limit = 100) {
  return infiniteQueryOptions({
    queryKey: ['tuples', 'pages', filter, limit],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/permsrv/tuples', {
          params: { query: { ...filter, limit, ...(pageParam !== '' && { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
  })
}

/** One large page, for suggestions and for the members of a group. */
export function tuplesQuery(filter: TupleFilter) {
  return queryOptions({
    queryKey: ['tuples', 'page', filter],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/permsrv/tuples', { params: { query: { ...filter, limit: 500 } }, signal })),
  })
}

export async function writeTuple(tuple: Tuple | string): Promise<Schema<'RelationTupleWritten'>> {
  const written = await answerOf(api.PUT('/api/permsrv/tuples', { body: tuple }))
  await tuplesChanged()
  return written
}

/** Deletes in packets; answers how many were there. A packet that fails ends it: those before are deleted. */
export async function deleteTuples(tuples: readonly Tuple[]): Promise<number> {
  let deleted = 0
  try {
    for (let from = 0; from < tuples.length; from += PACKET_SIZE) {
      const packet = tuples.slice(from, from + PACKET_SIZE).map(printTuple)
      const body = { tuples: packet }
      deleted += (await answerOf(api.POST('/api/permsrv/relation-tuples/batch-delete', { body }))).deleted
    }
  } finally {
    await tuplesChanged()
  }
  return deleted
}

export function tuplesChanged(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['tuples'] })
}
