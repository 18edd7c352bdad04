// The error for a namespace that the permission server does not know.

import type { TupleFilter } from '../../clients/permission-server.ts'
import { DomainError } from '../../errors.ts'

/** Names the namespaces in question: the server's own words do not say where they stood. */
export function unknownNamespace({ namespace, subject }: TupleFilter, where = ''): DomainError {
  const names = [namespace, subject?.subject_set?.namespace].filter(name => name !== undefined)
  return new DomainError(
    'unknown_namespace',
    `${where}The permission server knows no namespace ${names.map(name => JSON.stringify(name)).join(' or ')}.`,
    {
      hint: 'GET /api/permsrv/namespaces lists those it knows; it reads them from permissions/namespaces.ts.',
    },
  )
}
