// What may be granted: the permission file in parts and as text, beside what the permission server knows of it.

import type { Upstream } from '../../clients/http.ts'
import { listNamespaceNames, TUPLES_PER_PAGE_MAX } from '../../clients/permission-server.ts'
import { concurrently } from '../../lib/concurrently.ts'
import type { SubjectType } from './language/ast.ts'
import { printRewrite } from './language/print-rewrite.ts'
import type { PermissionReadDeps } from './permission-deps.ts'
import type { Namespace, NamespaceList } from './schemas.ts'
import { CALLS_AT_ONCE, tuplePages } from './tuple-pages.ts'
import { printSubject } from './tuple-text.ts'

/**
 * Each namespace of the permission file or the server, with how many subjects each relation has. All together they
 * count over at most `permissionTuplesMax` tuples. Throws the `upstream_*` errors.
 */
export async function readNamespaces(deps: PermissionReadDeps): Promise<NamespaceList> {
  const { upstreams, permissionFile, config } = deps
  const onServer = new Set(await listNamespaceNames(upstreams.permissionRead))
  const names = [...new Set([...permissionFile.declarations.names(), ...onServer])]
  const pagesMax = Math.ceil(config.permissionTuplesMax / TUPLES_PER_PAGE_MAX / names.length)
  const counts = new Map<string, Counts>()
  await concurrently([...onServer], CALLS_AT_ONCE, async name => {
    counts.set(name, await countSubjects(upstreams.permissionRead, name, pagesMax))
  })
  const data = names.map(name => describe(deps, name, counts.get(name)))
  return { data, file: permissionFile.text }
}

interface Counts {
  /** By relation, the text forms of those who have it directly. */
  readonly subjects: ReadonlyMap<string, ReadonlySet<string>>
  readonly isWhole: boolean
}

async function countSubjects(read: Upstream, namespace: string, pagesMax: number): Promise<Counts> {
  const subjects = new Map<string, Set<string>>()
  let isWhole = false
  for await (const { tuples, isLast } of tuplePages(read, { namespace }, pagesMax)) {
    for (const tuple of tuples) {
      const known = subjects.get(tuple.relation) ?? new Set()
      subjects.set(tuple.relation, known.add(printSubject(tuple)))
    }
    isWhole = isLast
  }
  return { subjects, isWhole }
}

/** `counts` is undefined for a namespace that the server does not know. */
function describe(
  { permissionFile: { declarations } }: PermissionReadDeps,
  name: string,
  counts: Counts | undefined,
): Namespace {
  const declared = declarations.namespace(name)
  const { relations = [], permits = [] } = declared ?? {}
  const stored = [...(counts?.subjects.keys() ?? [])]
  const isLeftover = (relation: string) =>
    !['relation', 'permit'].includes(declarations.kindOf({ namespace: name, relation }))
  const countOf = (relation: string) => counts?.subjects.get(relation)?.size ?? 0
  return {
    name,
    in_file: declared !== undefined,
    on_server: counts !== undefined,
    relations: [
      ...relations.map(relation => ({
        name: relation.name,
        types: relation.types.map(printType),
        declared: true,
        subjects: countOf(relation.name),
      })),
      ...stored.filter(isLeftover).map(relation => ({
        name: relation,
        types: [],
        declared: false,
        subjects: countOf(relation),
      })),
    ],
    permits: permits.map(permit => permit.name),
    rules: permits.map(({ name: permit, rewrite }) => ({ permit, follows_from: printRewrite(rewrite) })),
    counted_all: counts?.isWhole ?? true,
  }
}

/** As the permission file writes it. */
function printType({ namespace, relation }: SubjectType): string {
  return relation === undefined ? namespace : `SubjectSet<${namespace}, "${relation}">`
}
