// Writes the JSON text of SQL answers straight from the wire's texts: no row ever becomes an object. Pure.

import type { ItemResult } from './statement-plan.ts'
import { type FindType, toJsonOf } from './values.ts'

/** The JSON text of one SQL response (spec, SQL request and response shapes). */
export function resultJson(result: ItemResult, findType: FindType): string {
  const { fields, rowCount, command, isTruncated } = result
  const names = distinctNames(fields.map(field => field.name))
  const columns = fields.map(({ dataTypeID }, i) =>
    JSON.stringify({ name: names[i], dataTypeID, typeName: findType(dataTypeID)?.name ?? 'unknown' }),
  )
  return (
    `{"rows":[${rowsJson(result, names, findType)}],"rowCount":${rowCount},"columns":[${columns.join(',')}],` +
    `"command":${JSON.stringify(command)}${isTruncated ? ',"truncated":true' : ''}}`
  )
}

function rowsJson({ fields, rows }: ItemResult, names: readonly string[], findType: FindType): string {
  const columns = fields.map(({ dataTypeID }, i) => ({
    key: `${i > 0 ? ',' : ''}${JSON.stringify(names[i])}:`,
    toJson: toJsonOf(dataTypeID, findType),
  }))
  let json = ''
  for (const row of rows) {
    json += json === '' ? '{' : ',{'
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i]
      const text = row[i]
      if (column) json += column.key + (text === null || text === undefined ? 'null' : column.toJson(text))
    }
    json += '}'
  }
  return json
}

/** Names for the keys of a row: a repeated one gets the first free `_2`, `_3`, ..., so that no value is lost. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set(names)
  const seen = new Set<string>()
  return names.map(name => {
    if (!seen.has(name)) {
      seen.add(name)
      return name
    }
    let n = 2
    while (taken.has(`${name}_${n}`)) n++
    taken.add(`${name}_${n}`)
    return `${name}_${n}`
  })
}
