import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../../api/client.ts'
import { printTuple, type Tuple } from '../../../parts/tuples/tuple-text.ts'

export type AccessReport = Schema<'AccessReport'>

export interface ObjectName {
  namespace: string
  object: string
}

/** Who can access an object, or would once the tuples `without` are deleted. */
export function accessQuery({ namespace, object }: ObjectName, without: readonly Tuple[] = []) {
  const texts = without.map(printTuple)
  return queryOptions({
    queryKey: ['tuples', 'access', namespace, object, texts],
    queryFn: ({ signal }) => {
      const body = { namespace, object, ...(texts.length > 0 && { without: texts }) }
      return answerOf(api.POST('/api/permsrv/who-can-access', { body, signal }))
    },
  })
}
