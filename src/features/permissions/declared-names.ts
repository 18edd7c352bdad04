// Whether a tuple's names are those of the permission file and the permission server. The server itself stores any
// relation, and then fails the checks that meet one which is not declared.

import type { Upstream } from '../../clients/http.ts'
import { listNamespaceNames, type RelationTuple, type SubjectSet } from '../../clients/permission-server.ts'
import { DomainError } from '../../errors.ts'
import type { Declarations } from './declarations.ts'
import { unknownNamespace } from './unknown-namespace.ts'

/** A tuple, and how an error names it. */
export interface PlacedTuple {
  readonly tuple: RelationTuple
  readonly where: string
}

/**
 * Throws `unknown_namespace` for a namespace that neither the file nor the server has, `unknown_relation` for a
 * relation that is not declared or, in what is to be stored, is a permit. The server is asked only about namespaces
 * that the file lacks.
 */
export async function refuseUnknownNames(
  read: Upstream,
  declarations: Declarations,
  placed: readonly PlacedTuple[],
  use: 'stored' | 'asked',
): Promise<void> {
  const isForeign = ({ namespace }: SubjectSet) => declarations.namespace(namespace) === undefined
  const setsOf = ({ tuple }: PlacedTuple) => [tuple, ...(tuple.subject_set ? [tuple.subject_set] : [])]
  const hasForeign = placed.some(each => setsOf(each).some(isForeign))
  const known = new Set(hasForeign ? await listNamespaceNames(read) : [])
  for (const each of placed) {
    const foreign = setsOf(each).find(set => isForeign(set) && !known.has(set.namespace))
    if (foreign !== undefined) throw unknownNamespace({ namespace: foreign.namespace }, `${each.where}: `)
    refuseUndeclared(declarations, each.tuple, each.where, use)
    if (each.tuple.subject_set !== undefined)
      refuseUndeclared(declarations, each.tuple.subject_set, `${each.where}.subject_set`, 'asked')
  }
}

function refuseUndeclared(
  declarations: Declarations,
  { namespace, relation }: SubjectSet,
  where: string,
  use: 'stored' | 'asked',
): void {
  const kind = declarations.kindOf({ namespace, relation })
  if (kind === 'undeclared') {
    const { relations = [], permits = [] } = declarations.namespace(namespace) ?? {}
    const names = [...relations, ...(use === 'asked' ? permits : [])].map(({ name }) => name)
    throw unknownRelation(`${where}: ${namespace} has no relation ${JSON.stringify(relation)}.`, {
      detail: `It has ${names.join(', ')}.`,
      hint: 'Declare it in permissions/namespaces.ts, or use one of these.',
    })
  }
  if (kind === 'permit' && use === 'stored') {
    throw unknownRelation(
      `${where}: ${relation} of ${namespace} is a permit, which follows from relations.`,
      {
        hint: 'Give the subject one of the relations that it follows from: permissions/namespaces.ts says which.',
      },
    )
  }
}

function unknownRelation(message: string, facts: { detail?: string; hint: string }): DomainError {
  return new DomainError('unknown_relation', message, facts)
}
