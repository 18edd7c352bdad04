// What the diagram draws: tables as nodes, foreign keys as edges. Pure.

import type { Structure } from '../../../parts/database/access-words.ts'

/** A picture of more can neither be drawn quickly nor be read. */
const TABLES_DRAWN_MAX = 200
/** Columns that a node shows; those of keys come first, and the others are counted. */
const COLUMNS_SHOWN_MAX = 10

export interface TableNode {
  id: string
  schema: string
  name: string
  columns: readonly { name: string; type: string; key: 'primary' | 'foreign' | undefined }[]
  /** How many more columns there are. */
  more: number
}

export interface KeyEdge {
  id: string
  source: string
  target: string
  oneToOne: boolean
}

export interface Diagram {
  nodes: TableNode[]
  edges: KeyEdge[]
  /** Whether there are more tables than are drawn. */
  isCut: boolean
}

export const idOf = (schema: string, table: string) => JSON.stringify([schema, table])

/**
 * The tables whose name has the text, and those that keys connect with them; partitions are part of their table. Keys
 * to tables that are not drawn are not drawn either.
 */
export function diagramOf(tables: readonly Structure[], text: string): Diagram {
  const wholes = tables.filter(({ partition_of: whole }) => whole === null)
  const wanted = text.trim().toLowerCase()
  const chosen = new Set(
    wholes
      .filter(({ schema, name }) => `${schema}.${name}`.toLowerCase().includes(wanted))
      .map(({ schema, name }) => idOf(schema, name)),
  )
  const all = wholes.flatMap(edgesFrom)
  const near = all.filter(({ source, target }) => chosen.has(source) || chosen.has(target))
  const drawn = new Set([...chosen, ...near.flatMap(({ source, target }) => [source, target])])
  const found = wholes.filter(({ schema, name }) => drawn.has(idOf(schema, name)))
  const nodes = found.slice(0, TABLES_DRAWN_MAX).map(nodeOf)
  const known = new Set(nodes.map(({ id }) => id))
  const edges = near.filter(({ source, target }) => known.has(source) && known.has(target))
  return { nodes, edges, isCut: nodes.length < found.length }
}

function edgesFrom({ schema, name, foreign_keys: keys }: Structure): KeyEdge[] {
  const source = idOf(schema, name)
  return keys.map(({ name: key, references, one_to_one: oneToOne }) => ({
    id: `${source} ${key}`,
    source,
    target: idOf(references.schema, references.table),
    oneToOne,
  }))
}

function nodeOf({ schema, name, columns, primary_key: primary, foreign_keys: keys }: Structure): TableNode {
  const foreign = new Set(keys.flatMap(key => key.columns))
  const all = columns.map(({ name: column, type }) => ({
    name: column,
    type,
    key: primary.includes(column)
      ? ('primary' as const)
      : foreign.has(column)
        ? ('foreign' as const)
        : undefined,
  }))
  const first = [...all.filter(({ key }) => key !== undefined), ...all.filter(({ key }) => key === undefined)]
  const shown = all.length > COLUMNS_SHOWN_MAX ? first.slice(0, COLUMNS_SHOWN_MAX) : all
  return { id: idOf(schema, name), schema, name, columns: shown, more: all.length - shown.length }
}
