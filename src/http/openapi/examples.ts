// An example of a schema: the one that its own `.meta({ examples })` says, or one put together from those of its parts.
// So a list has the example of its records, and an answer around a record that of the record.

import type { Json, NamedSchemas } from './schemas.ts'

/** Undefined where the schema and its parts say too little. */
export function exampleOf(written: Json, schemas: NamedSchemas): unknown {
  const schema = schemas.resolve(written)
  const [own] = (schema['examples'] as unknown[] | undefined) ?? []
  if (own !== undefined) return own
  if ('const' in schema) return schema['const']
  if (isNullable(schema)) return null
  if (schema['type'] === 'array') return listOf(exampleOf(schema['items'] as Json, schemas))
  if (schema['type'] === 'object') return objectOf(schema, schemas)
  return undefined
}

function isNullable({ type, anyOf = [] }: Json): boolean {
  return [type].flat().includes('null') || (anyOf as Json[]).some(isNullable)
}

function listOf(item: unknown): unknown[] | undefined {
  return item === undefined ? undefined : [item]
}

function objectOf({ properties = {}, required = [] }: Json, schemas: NamedSchemas): Json | undefined {
  const parts = (required as string[]).map(name => [
    name,
    exampleOf((properties as Json)[name] as Json, schemas),
  ])
  return parts.some(([, part]) => part === undefined) ? undefined : Object.fromEntries(parts)
}
