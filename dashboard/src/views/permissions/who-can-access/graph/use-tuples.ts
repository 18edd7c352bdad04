// The stored tuples that the graph draws: those of the object, and of each group that is open.

import { useQueries, useQuery } from '@tanstack/react-query'
import { tuplesQuery } from '../../../../parts/tuples/queries.ts'
import { parseSubject, printTuple, type Tuple } from '../../../../parts/tuples/tuple-text.ts'
import { tuplesOf } from '../../../../parts/tuples/words.ts'
import type { ObjectName } from '../queries.ts'

export function useGraphTuples(
  { namespace, object }: ObjectName,
  open: ReadonlySet<string>,
  chain: readonly string[],
) {
  const query = useQuery(tuplesQuery({ namespace, object }))
  const groups = [...open]
  const answers = useQueries({
    queries: groups.map(text => {
      const { subject_set: set = { namespace: '', object: '', relation: '' } } = parseSubject(text)
      // An empty relation is the object itself: all its relations are shown then.
      const { relation, ...names } = set
      return tuplesQuery(relation === '' ? names : set)
    }),
  })
  // The chosen chain is drawn whole, whichever page its tuples are on.
  const chained = tuplesOf(chain)
  const members = new Map(
    groups.map((text, i) => [text, withChain(answers[i]?.data?.data ?? [], chained, text)]),
  )
  const own = chained.filter(tuple => tuple.namespace === namespace && tuple.object === object)
  return {
    query,
    tuples: distinct([...(query.data?.data ?? []), ...own]),
    members,
    isCut: [query, ...answers].some(({ data }) => data !== undefined && data.next_cursor !== null),
  }
}

function withChain(tuples: readonly Tuple[], chained: readonly Tuple[], text: string): Tuple[] {
  const { subject_set: set } = parseSubject(text)
  const own = chained.filter(
    tuple =>
      tuple.namespace === set?.namespace &&
      tuple.object === set.object &&
      (set.relation === '' || tuple.relation === set.relation),
  )
  return distinct([...tuples, ...own])
}

function distinct(tuples: readonly Tuple[]): Tuple[] {
  return [...new Map(tuples.map(tuple => [printTuple(tuple), tuple])).values()]
}
