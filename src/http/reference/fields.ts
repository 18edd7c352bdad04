// What the reference page says of parameters and bodies: a row for each field, with its type and limits in words.

import type { Parameter, Schema } from './document.ts'

/** A field as the page shows it. */
export interface Row {
  name: string
  type: string
  isRequired: boolean
  description: string
}

/** A parameter of the path, the query or a header. */
export function parameterRow({ name, in: where, required, description, schema }: Parameter): Row {
  const place = where === 'query' ? '' : ` (${where})`
  return {
    name,
    type: typeName(schema) + place,
    isRequired: required ?? false,
    description: description ?? '',
  }
}

/**
 * The fields of an object schema; of anything else the one thing that it is. Arrays of objects show their items'
 * fields.
 */
export function schemaRows(schema: Schema, prefix = ''): Row[] {
  if (!schema.properties)
    return [
      {
        name: prefix || 'value',
        type: typeName(schema),
        isRequired: true,
        description: schema.description ?? '',
      },
    ]
  return Object.entries(schema.properties).flatMap(([name, property]) => {
    const row = {
      name: prefix + name,
      type: typeName(property),
      isRequired: schema.required?.includes(name) ?? false,
      description: property.description ?? '',
    }
    const inner = property.properties ? property : property.items?.properties ? property.items : undefined
    const innerPrefix = `${prefix}${name}${property.items ? '[]' : ''}.`
    return inner && prefix.split('.').length < 4 ? [row, ...schemaRows(inner, innerPrefix)] : [row]
  })
}

function typeName(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  if (schema.anyOf) return schema.anyOf.map(typeName).join(' | ')
  if (schema.items) return arrayName(typeName(schema.items))
  const type = Array.isArray(schema.type) ? schema.type.join(' | ') : (schema.type ?? 'any')
  return [schema.format ? `${type} (${schema.format})` : type, ...limitsOf(schema)].join(', ')
}

function arrayName(item: string): string {
  return / \| |, /.test(item) ? `(${item})[]` : `${item}[]`
}

function limitsOf({ minimum, maximum, maxLength, default: fallback }: Schema): string[] {
  const isBounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
  const range = isBounded ? [`${minimum ?? 0} to ${maximum}`] : []
  const length = maxLength === undefined ? [] : [`up to ${maxLength} characters`]
  const byDefault = fallback === undefined ? [] : [`${JSON.stringify(fallback)} unless said`]
  return [...range, ...length, ...byDefault]
}
