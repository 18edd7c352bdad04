// Chooses the relationship that an embedded relation means, by PostgREST's rules, and says why there is none. Pure.

import type { DatabaseRole } from '../../../db/database.ts'
import type { QualifiedName } from '../../../db/sql.ts'
import { nearestName } from '../../../lib/nearest-name.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { CatalogRefusal } from '../catalog/catalog-refusal.ts'
import { type Cardinality, isSame, type Relationship } from '../catalog/relationship.ts'
import type { SelectedEmbed } from '../grammar/query-ast.ts'

type Sought = Pick<SelectedEmbed, 'target' | 'hint'>

/** The one relationship of `origin` that fits. Throws `relationship_not_found` and `ambiguous_relationship`. */
export function findRelationship(
  catalog: Catalog,
  origin: QualifiedName,
  sought: Sought,
  role: DatabaseRole,
): Relationship {
  if (!catalog.relationships) throw new TypeError('the catalog was read without relationships')
  const all = catalog.relationships.from(origin)
  const [found, ...others] = all.filter(each => fits(each, sought))
  if (found === undefined || others.length > 0) {
    // To others than those who may use them names are not told, for anon keys are public.
    const usable = new Set([
      ...catalog.relationNames(origin.schema, role),
      ...catalog.functionNames(origin.schema, role),
    ])
    const told = (each: Relationship) =>
      namesIn(each).every(name => usable.has(name)) &&
      columnsIn(each).every(([{ schema, name }, column]) =>
        catalog.columnNames(schema, name, role).includes(column),
      )
    if (found === undefined) throw notFound(all.filter(told), origin, sought)
    throw ambiguous([found, ...others].filter(told).sort(byKind), origin, sought)
  }
  return found
}

function fits(relationship: Relationship, { target, hint }: Sought): boolean {
  if (relationship.kind === 'computed') return relationship.function.name === target
  const isNamed = relationship.target.name === target
  const { cardinality } = relationship
  if (isSame(relationship.origin, relationship.target)) {
    // One key is two relationships then: its table's name means the rows that refer, its column the one referred to.
    if (relationship.kind !== 'key' || cardinality === 'one-to-one') return false
    if (hint !== undefined) {
      return isNamed && cardinality === 'one-to-many' && onlyPair(relationship)?.[1] === hint
    }
    return cardinality === 'one-to-many' ? isNamed : onlyPair(relationship)?.[0] === target
  }
  if (hint === undefined) return isNamed || isNamedByKey(relationship, target)
  if (!isNamed) return false
  if (relationship.kind === 'junction') return relationship.junction.name === hint
  const [here, there] = onlyPair(relationship) ?? []
  return relationship.constraint === hint || here === hint || there === hint
}

/** The target is the key's name or its one column here; neither says which of several views is meant. */
function isNamedByKey(relationship: Relationship, name: string): boolean {
  if (relationship.kind !== 'key' || relationship.targetIsView) return false
  return relationship.constraint === name || onlyPair(relationship)?.[0] === name
}

function onlyPair({ pairs }: Extract<Relationship, { kind: 'key' }>) {
  return pairs.length === 1 ? pairs[0] : undefined
}

const KINDS: readonly Cardinality[] = ['one-to-many', 'many-to-one', 'one-to-one', 'many-to-many']

/** The order in which PostgREST lists them. */
function byKind(a: Relationship, b: Relationship): number {
  const kinds = KINDS.indexOf(a.cardinality) - KINDS.indexOf(b.cardinality)
  if (kinds !== 0) return kinds
  return describe(a) < describe(b) ? -1 : 1
}

function namesIn(each: Relationship): string[] {
  if (each.kind === 'computed') return [each.function.name, each.target.name]
  return each.kind === 'junction' ? [each.target.name, each.junction.name] : [each.target.name]
}

/** What `describe` says of it, by relation. */
function columnsIn(each: Relationship): [QualifiedName, string][] {
  if (each.kind === 'computed') return []
  if (each.kind === 'key') {
    return each.pairs.flatMap(([here, there]) => [
      [each.origin, here],
      [each.target, there],
    ])
  }
  return [...each.originPairs, ...each.targetPairs].map(([, there]) => [each.junction, there])
}

function notFound(
  all: readonly Relationship[],
  { schema, name }: QualifiedName,
  { target, hint }: Sought,
): CatalogRefusal {
  const names = all.map(each => (each.kind === 'computed' ? each.function.name : each.target.name))
  const near = names.includes(target) ? undefined : nearestName(target, names)
  const using = hint === undefined ? '' : ` using the hint '${hint}'`
  const meant = near === undefined ? undefined : `Perhaps you meant '${near}' instead of '${target}'.`
  return new CatalogRefusal(
    'relationship_not_found',
    `Could not find a relationship between '${name}' and '${target}' in the schema cache`,
    {
      detail:
        `Searched for a foreign key relationship between '${name}' and '${target}'${using} ` +
        `in the schema '${schema}', but no matches were found.`,
      hint: meant,
      postgrest: { code: 'PGRST200', hint: meant ?? null },
    },
  )
}

function ambiguous(
  found: readonly Relationship[],
  { name }: QualifiedName,
  { target }: Sought,
): CatalogRefusal {
  const candidates = found.map(candidateOf)
  const hints = found.map(each => `'${hintFor(each)}'`).join(', ')
  const changing =
    found.length > 0
      ? `Try changing '${target}' to one of the following: ${hints}`
      : `Write the name of the foreign key behind it: '${target}!<key>'`
  return new CatalogRefusal(
    'ambiguous_relationship',
    `Could not embed because more than one relationship was found for '${name}' and '${target}'`,
    {
      detail: candidates.map(({ cardinality, relationship }) => `${cardinality}: ${relationship}`).join('; '),
      hint: `${changing}.`,
      postgrest: {
        code: 'PGRST201',
        details: candidates,
        hint: `${changing}. Find the desired relationship in the 'details' key.`,
      },
    },
  )
}

/** What names it alone. */
function hintFor(relationship: Relationship): string {
  if (relationship.kind === 'computed') return relationship.function.name
  const hint = relationship.kind === 'junction' ? relationship.junction.name : relationship.constraint
  return `${relationship.target.name}!${hint}`
}

/** One of several relationships, as clients of PostgREST read it. */
function candidateOf(each: Relationship): Record<string, string> {
  const embedding = `${each.origin.name} with ${each.target.name}`
  return { cardinality: each.cardinality, embedding, relationship: describe(each) }
}

function describe(each: Relationship): string {
  const list = (names: readonly string[]) => `(${names.join(', ')})`
  const here = (pairs: readonly (readonly [string, string])[]) => list(pairs.map(([column]) => column))
  const there = (pairs: readonly (readonly [string, string])[]) => list(pairs.map(([, column]) => column))
  if (each.kind === 'computed') return each.function.name
  if (each.kind === 'key') {
    const { constraint, origin, target, pairs } = each
    return `${constraint} using ${origin.name}${here(pairs)} and ${target.name}${there(pairs)}`
  }
  const [first, second] = each.constraints
  const { junction, originPairs, targetPairs } = each
  return `${junction.name} using ${first}${there(originPairs)} and ${second}${there(targetPairs)}`
}
