// Whether a tuple's names are those of the permission file and the permission server. The server itself stores any
// relation, and then fails the checks that meet one which is not declared.

import { listNamespaceNames, type RelationTuple, type SubjectSet } from '../../clients/permission-server.ts'
import { DomainError } from '../../errors.ts'
import type { Declarations } from './declarations.ts'
import type { PermissionReadDeps } from './permission-deps.ts'
import { invalidTuple, unknownNamespace } from './tuple-errors.ts'

/** A tuple with the words that an error names it by, as `tuples[3]`. */
export interface LabelledTuple {
  readonly label: string
  readonly tuple: RelationTuple
  /** As it was sent, where it was sent as text. */
  readonly text?: string
}

/** What tuples are for: a permit can be asked about but not be stored, and leftovers of any name can be deleted. */
export type TupleUse = 'store' | 'ask' | 'delete'

/**
 * Throws `unknown_namespace` for a namespace that neither the file nor the server has, and `unknown_relation` for a
 * relation that the use does not allow. Throws `invalid_tuple` for a subject whose text may mean two things. The server
 * is asked only about namespaces that the file lacks.
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
    if (use === 'store') refuseObjectAsId(declarations, each)
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

/** Keto's own text form writes an object so. Stored as an id it would never grant anything. */
function refuseObjectAsId(declarations: Declarations, { label, tuple, text }: LabelledTuple): void {
  const { subject_id: id } = tuple
  if (id === undefined || text?.endsWith(`@${id}`) !== true) return
  const namespace = id.slice(0, Math.max(0, id.indexOf(':')))
  if (declarations.namespace(namespace) === undefined) return
  throw invalidTuple(
    label,
    `the subject is the object ${id}# or the id ${JSON.stringify(id)}: write one of these`,
  )
}

function unknownRelation(message: string, facts: { detail?: string; hint: string }): DomainError {
  return new DomainError('unknown_relation', message, facts)
}
