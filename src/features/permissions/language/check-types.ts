// Whether what a permission file names is declared in it. Source: Keto v26.2.0, schema/typechecks.go.
//
// Keto follows `SubjectSet` types eleven levels down, each time with all their branches, and keeps every error. That is
// exponential in the text, so here steps and errors have a bound: a file beyond it is refused.

import type { SubjectType } from './ast.ts'
import type { Token } from './tokens.ts'

/** Of `SubjectSet`s that lead to `SubjectSet`s, below the first. */
const LEVELS_MAX = 10
const STEPS_MAX_PER_CHARACTER = 10
const ERRORS_MAX = 100
const SHOWN_LENGTH = 64

/** Each relation's and permit's types, by namespace and name; a permit has none. The first of a name counts. */
export type Declared = ReadonlyMap<string, ReadonlyMap<string, readonly SubjectType[]>>

export type TypeCheck =
  | { readonly kind: 'namespace'; readonly namespace: Token }
  | { readonly kind: 'subject set'; readonly namespace: Token; readonly relation: Token }
  | { readonly kind: 'own relation'; readonly namespace: string; readonly relation: Token }
  | {
      readonly kind: 'traversal'
      readonly namespace: string
      readonly relation: Token
      readonly computed: string
    }

/** What is wrong, and the token that it is wrong about. */
export interface Finding {
  readonly token: Token
  readonly message: string
}

/** In the order of the checks; at most 100, and work in proportion to the text's length. */
export function checkTypes(checks: readonly TypeCheck[], declared: Declared, textLength: number): Finding[] {
  const findings: Finding[] = []
  let stepsLeft = STEPS_MAX_PER_CHARACTER * textLength
  const add = (token: Token, message: string) => findings.push({ token, message })

  /** Whether each type of a relation has the computed one; false once there is no more to be said. */
  function followTypes(
    token: Token,
    namespace: string,
    relation: string,
    computed: string,
    levels: number,
  ): boolean {
    if (levels < 0) return add(token, 'SubjectSet types are nested too deeply to be checked') < ERRORS_MAX
    const types = declared.get(namespace)?.get(relation)
    if (types === undefined) return add(token, notDeclared(namespace, relation)) < ERRORS_MAX
    for (const type of types) {
      if (--stepsLeft < 0) {
        add(token, 'the types take too many steps to check')
        return false
      }
      if (type.relation) {
        if (!followTypes(token, type.namespace, type.relation, computed, levels - 1)) return false
      } else if (!declared.get(type.namespace)?.has(computed)) {
        if (add(token, notDeclared(type.namespace, computed)) >= ERRORS_MAX) return false
      }
    }
    return true
  }

  for (const check of checks) {
    if (findings.length >= ERRORS_MAX) break
    switch (check.kind) {
      case 'own relation':
        if (!declared.get(check.namespace)?.has(check.relation.value))
          add(check.relation, notDeclared(check.namespace, check.relation.value))
        break
      case 'traversal':
        if (!followTypes(check.relation, check.namespace, check.relation.value, check.computed, LEVELS_MAX))
          return findings
        break
      default: {
        const relations = declared.get(check.namespace.value)
        if (relations === undefined)
          add(check.namespace, `namespace "${shown(check.namespace.value)}" is not declared`)
        else if (check.kind === 'subject set' && !relations.has(check.relation.value))
          add(check.relation, notDeclared(check.namespace.value, check.relation.value))
      }
    }
  }
  return findings
}

const notDeclared = (namespace: string, relation: string) =>
  `namespace "${shown(namespace)}" does not declare relation "${shown(relation)}"`

/** A name may be as long as the text: an error holds its begin. */
export const shown = (name: string) =>
  name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)}...` : name
