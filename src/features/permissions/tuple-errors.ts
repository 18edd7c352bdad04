// What is wrong with a relation tuple, as callers are told.

import type { TupleFilter, TupleWriteAnswer } from '../../clients/permission-server.ts'
import { DomainError } from '../../errors.ts'

/** The error for a tuple that cannot be taken; `where` is its place in the request. */
export function invalidTuple(where: string, problem: string): DomainError {
  return new DomainError('invalid_tuple', `${where}: ${problem}.`, {
    hint:
      'A tuple is {"namespace", "object", "relation"} with either "subject_id" or "subject_set", or the text ' +
      '"namespace:object#relation@subject".',
  })
}

/** The error for a namespace that the permission server does not know. */
export function unknownNamespace({ namespace, subject }: TupleFilter, where = ''): DomainError {
  const names = [namespace, subject?.subject_set?.namespace].filter(name => name !== undefined)
  const shown = [...new Set(names)].map(name => JSON.stringify(name)).join(' or ')
  return new DomainError('unknown_namespace', `${where}The permission server knows no namespace ${shown}.`, {
    hint: 'It knows those of permissions/namespaces.ts; GET /api/permsrv/namespaces and the dashboard list them.',
  })
}

/** Throws the error for a write that the permission server refused, in its own words. */
export function throwIfRefused(answer: TupleWriteAnswer): void {
  if (answer.outcome === 'written') return
  const code = answer.outcome === 'unknown_namespace' ? 'unknown_namespace' : 'invalid_tuple'
  throw new DomainError(code, 'The permission server refused the tuples; nothing was changed.', {
    detail: answer.reason,
    hint: 'Does it run with the permission file of this deployment, permissions/namespaces.ts?',
  })
}
