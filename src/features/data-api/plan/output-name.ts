// What the columns of an answer are called. Pure.

import type { Field, SelectedCount, SelectedField } from '../grammar/query-ast.ts'

/** The alias, the name of the aggregate, the last key of the path, or the column: `data->tags->0` is called `tags`. */
export function outputName(item: SelectedField | SelectedCount): string {
  if (item.alias !== undefined) return item.alias
  if (item.kind === 'count') return 'count'
  return item.aggregate?.name ?? nameOf(item.field)
}

function nameOf({ name, path }: Field): string {
  const key = path.findLast(step => typeof step.operand === 'string')?.operand
  return typeof key === 'string' ? key : name
}
