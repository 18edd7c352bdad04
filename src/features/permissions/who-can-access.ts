// Who can access an object, by which relations and permits, and why (Spec, Dashboard API: permission management).

import type { PermissionReadDeps } from './permission-deps.ts'
import type { AccessQuestion, AccessReport } from './schemas.ts'
import { readTuple } from './tuple-input.ts'
import { printTuple } from './tuple-text.ts'
import { startWalk, withMatrix } from './walk/start-walk.ts'
import { firstLimit, type Limit, type Walk, type Walked, walkRelation } from './walk/walk-relation.ts'

/**
 * Every subject with a relation or permit on the object, subject sets too, with the tuples that lead to each. Beyond
 * the depth of the server's checks nothing is there, beyond their width perhaps more than they find: `complete` is
 * false then. With `without` it is the answer once those tuples are deleted. Throws `unknown_namespace`,
 * `invalid_tuple` for what `without` holds, and the `upstream_*` errors.
 */
export async function whoCanAccess(
  deps: PermissionReadDeps,
  { without = [], ...object }: AccessQuestion,
): Promise<AccessReport> {
  const texts = without.map((value, i) => printTuple(readTuple(value, `without[${i}]`).tuple))
  const start = startWalk(deps, { without: new Set(texts) })
  const stored = await start.reader.loadObject(object)
  const { relations = [], permits = [] } = start.declarations.namespace(object.namespace) ?? {}
  const permitNames = permits.map(({ name }) => name)
  const relationNames = new Set([...relations.map(({ name }) => name), ...stored])
  for (const name of permitNames) relationNames.delete(name)
  const walk = withMatrix(start, [...relationNames, ...permitNames])
  const relationColumns = await walkColumns(walk, object, relationNames)
  const permitColumns = await walkColumns(walk, object, permitNames)
  const met = relationColumns.flatMap(({ walked }) => [...walked.limits])
  return {
    ...(await subjectsOf(walk, relationColumns, permitColumns)),
    relations: [...relationNames],
    permits: permitColumns.map(({ name, walked }) => ({
      permit: name,
      ...completeness(firstLimit(walked.limits)),
    })),
    ...completeness(walk.reader.truncatedBy ?? firstLimit(met)),
  }
}

type ObjectNames = Pick<AccessQuestion, 'namespace' | 'object'>

interface Column {
  readonly name: string
  readonly walked: Walked
}

async function walkColumns(walk: Walk, object: ObjectNames, names: Iterable<string>): Promise<Column[]> {
  const columns: Column[] = []
  for (const name of names)
    columns.push({ name, walked: await walkRelation(walk, { ...object, relation: name }) })
  return columns
}

function completeness(limit: Limit | null) {
  return { complete: limit === null, truncated_by: limit }
}

/** Of a cell of the matrix, in units of `Turns`. */
const CELL_WORK = 100

/** One entry a subject, in the order of their text forms. */
async function subjectsOf(
  { turns }: Walk,
  relations: readonly Column[],
  permits: readonly Column[],
): Promise<Pick<AccessReport, 'subjects' | 'matrix'>> {
  const columns = [...relations, ...permits]
  const ways = (among: readonly Column[], subject: string) =>
    among.flatMap(({ name, walked }) => {
      const via = walked.grants.get(subject)
      return via === undefined ? [] : { name, via }
    })
  const subjects: AccessReport['subjects'] = []
  const rows: [string, Record<string, boolean>][] = []
  for (const subject of [...new Set(columns.flatMap(({ walked }) => [...walked.grants.keys()]))].sort()) {
    await turns.spend(CELL_WORK * (1 + columns.length))
    subjects.push({
      subject,
      relations: ways(relations, subject).map(({ name, via }) => ({ relation: name, via })),
      permits: ways(permits, subject).map(({ name, via }) => ({ permit: name, via })),
    })
    rows.push([
      subject,
      Object.fromEntries(columns.map(({ name, walked }) => [name, walked.grants.has(subject)])),
    ])
  }
  return { subjects, matrix: Object.fromEntries(rows) }
}
