// Whether a tuple's names are those of the permission file and the permission server. The server itself stores any
// relation, and then fails the checks that meet one which is not declared.

import { listNamespaceNames, type RelationTuple, type SubjectSet } from '../../clients/permission-server.ts'
import { DomainError } from '../../errors.ts'
import type { Declarations } from './declarations.ts'
import type { PermissionReadDeps } from './permission-deps.ts'
import { unknownNamespace } from './tuple-errors.ts'

/** A tuple with the words that an error names it by, as `tuples[3]`. */
export interface LabelledTuple {
  readonly label: string
  readonly tuple: RelationTuple
}

/** What tuples are for: a permit can be asked about but not be stored, and leftovers of any name can be deleted. */
export type TupleUse = 'store' | 'ask' | 'delete'

/**
 * Throws `unknown_namespace` for a namespace that neither the file nor the server has, and `unknown_relation` for a
 * relation that the use does not allow. The server is asked only about namespaces that the file lacks.
 */
export async function refuseUnknownNames(
  { upstreams, permissionFile }: PermissionReadDeps,
  tuples: readonly LabelledTuple[],
  use: TupleUse,
): Promise<void> {
  const { declarations } = permissionFile
  const isForeign = ({ namespace }: SubjectSet) => declarations.namespace(namespace) === undefined
  const setsOf = ({ tuple }: LabelledTuple) => [tuple, ...(tuple.subject_set ? [tuple.subject_set] : [])]
  const hasForeign = tuples.some(each => setsOf(each).some(isForeign))
  const known = new Set(hasForeign ? await listNamespaceNames(upstreams.permissionRead) : [])
  for (const each of tuples) {
    const foreign = setsOf(each).find(set => isForeign(set) && !known.has(set.namespace))
    if (foreign !== undefined) throw unknownNamespace({ namespace: foreign.namespace }, `${each.label}: `)
    if (use === 'delete') continue
    refuseUndeclared(declarations, each.tuple, each.label, use)
    if (each.tuple.subject_set !== undefined)
      refuseUndeclared(declarations, each.tuple.subject_set, `${each.label}.subject_set`, 'ask')
  }
}

function refuseUndeclared(
  declarations: Declarations,
  { namespace, relation }: SubjectSet,
  label: string,
  use: TupleUse,
): void {
  const kind = declarations.kindOf({ namespace, relation })
  if (kind === 'undeclared') {
    const { relations = [], permits = [] } = declarations.namespace(namespace) ?? {}
    const names = [...relations, ...(use === 'ask' ? permits : [])].map(({ name }) => name)
    throw unknownRelation(`${label}: ${namespace} has no relation ${JSON.stringify(relation)}.`, {
      detail: `It has ${names.join(', ')}.`,
      hint: 'Declare it in permissions/namespaces.ts, or use one of these.',
    })
  }
  if (kind === 'permit' && use === 'store') {
    throw unknownRelation(
      `${label}: ${relation} of ${namespace} is a permit, which follows from relations.`,
      {
        hint: 'Give the subject one of the relations that it follows from: permissions/namespaces.ts says which.',
      },
    )
  }
}

function unknownRelation(message: string, facts: { detail?: string; hint: string }): DomainError {
  return new DomainError('unknown_relation', message, facts)
}
