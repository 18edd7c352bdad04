// What the permission file declares, asked by name. The permission server decides with the same file, and tells nobody
// what is in it.

import type { SubjectSet } from '../../clients/permission-server.ts'
import type { Group, NamespaceDeclaration, PermissionFile } from './language/ast.ts'

interface Declared {
  readonly namespace: NamespaceDeclaration
  readonly relations: ReadonlySet<string>
  readonly permits: ReadonlyMap<string, Group>
}

/** What a name stands for on an object; `any` in a namespace that declares nothing, `unknown` without a namespace. */
export type Kind = 'relation' | 'permit' | 'object' | 'any' | 'undeclared' | 'unknown'

export class Declarations {
  readonly #byNamespace: ReadonlyMap<string, Declared>

  constructor(file: PermissionFile) {
    this.#byNamespace = new Map(
      file.namespaces.map(namespace => [
        namespace.name,
        {
          namespace,
          relations: new Set(namespace.relations.map(({ name }) => name)),
          permits: new Map(namespace.permits.map(({ name, rewrite }) => [name, rewrite])),
        },
      ]),
    )
  }

  /** In the order of the file. */
  names(): string[] {
    return [...this.#byNamespace.keys()]
  }

  /** The namespace's declaration; undefined when the file has none of that name. */
  namespace(name: string): NamespaceDeclaration | undefined {
    return this.#byNamespace.get(name)?.namespace
  }

  kindOf({ namespace, relation }: Pick<SubjectSet, 'namespace' | 'relation'>): Kind {
    const declared = this.#byNamespace.get(namespace)
    if (declared === undefined) return 'unknown'
    if (relation === '') return 'object'
    if (declared.permits.has(relation)) return 'permit'
    if (declared.relations.has(relation)) return 'relation'
    return declared.relations.size + declared.permits.size === 0 ? 'any' : 'undeclared'
  }

  /** What a permit follows from; undefined for everything else. */
  rewriteOf({ namespace, relation }: Pick<SubjectSet, 'namespace' | 'relation'>): Group | undefined {
    return this.#byNamespace.get(namespace)?.permits.get(relation)
  }
}
