// What may be granted: the permission file in parts and as text, beside what the permission server knows of it.

import type { Upstream } from '../../clients/http.ts'
import { listNamespaceNames } from '../../clients/permission-server.ts'
import type { SubjectType } from './language/ast.ts'
import type { PermissionReadDeps } from './permission-deps.ts'
import type { Namespace, NamespaceList } from './schemas.ts'
import { tuplePages } from './tuple-pages.ts'
import { printSubject } from './tuple-text.ts'

/**
 * Each namespace of the permission file or the server, with how many subjects each relation has, counted over at most
 * `permissionTuplesMax` tuples of the namespace. Throws the `upstream_*` errors.
 */
export async function readNamespaces(deps: PermissionReadDeps): Promise<NamespaceList> {
  const { upstreams, permissionFile, config } = deps
  const onServer = new Set(await listNamespaceNames(upstreams.permissionRead))
  const names = new Set([...permissionFile.declarations.names(), ...onServer])
  const data = await Promise.all(
    Array.from(names, async name => {
      const counts = onServer.has(name)
        ? await countSubjects(upstreams.permissionRead, name, config.permissionTuplesMax)
        : { subjects: new Map<string, Set<string>>(), isWhole: true }
      return describe(deps, name, onServer.has(name), counts)
    }),
  )
  return { data, file: permissionFile.text }
}

interface Counts {
  /** By relation, the text forms of those who have it directly. */
  readonly subjects: ReadonlyMap<string, ReadonlySet<string>>
  readonly isWhole: boolean
}

async function countSubjects(read: Upstream, namespace: string, tuplesMax: number): Promise<Counts> {
  const subjects = new Map<string, Set<string>>()
  let counted = 0
  for await (const { tuples, isLast } of tuplePages(read, { namespace })) {
    for (const tuple of tuples) {
      const known = subjects.get(tuple.relation) ?? new Set()
      subjects.set(tuple.relation, known.add(printSubject(tuple)))
    }
    counted += tuples.length
    if (!isLast && counted >= tuplesMax) return { subjects, isWhole: false }
  }
  return { subjects, isWhole: true }
}

function describe(
  { permissionFile }: Pick<PermissionReadDeps, 'permissionFile'>,
  name: string,
  isOnServer: boolean,
  { subjects, isWhole }: Counts,
): Namespace {
  const declared = permissionFile.declarations.namespace(name)
  const { relations = [], permits = [] } = declared ?? {}
  const declaredNames = new Set(relations.map(relation => relation.name))
  const undeclared = [...subjects.keys()].filter(relation => !declaredNames.has(relation))
  const countOf = (relation: string) => subjects.get(relation)?.size ?? 0
  return {
    name,
    in_file: declared !== undefined,
    on_server: isOnServer,
    relations: [
      ...relations.map(relation => ({
        name: relation.name,
        types: relation.types.map(printType),
        declared: true,
        subjects: countOf(relation.name),
      })),
      ...undeclared.map(relation => ({
        name: relation,
        types: [],
        declared: false,
        subjects: countOf(relation),
      })),
    ],
    permits: permits.map(permit => permit.name),
    counted_all: isWhole,
  }
}

/** As the permission file writes it. */
function printType({ namespace, relation }: SubjectType): string {
  return relation === undefined ? namespace : `SubjectSet<${namespace}, "${relation}">`
}
