import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../api/client.ts'
import type { Tuple } from '../../parts/tuples/tuple-text.ts'

/** The server's answer to a tuple's text, and why; read anew each time that it is asked. */
export function explainQuery(text: string) {
  return queryOptions({
    queryKey: ['tuples', 'explain', text],
    queryFn: ({ signal }) => answerOf(api.POST('/api/permsrv/explain', { body: text, signal })),
    staleTime: 0,
  })
}

/** Writes up to 500, all or none. Whoever calls it has the lists read again when all packets are through. */
export function importPacket(tuples: readonly Tuple[]): Promise<Schema<'RelationTupleImport'>> {
  return answerOf(api.POST('/api/permsrv/relation-tuples/import', { body: { tuples: [...tuples] } }))
}
