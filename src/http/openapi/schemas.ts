// The schemas of the OpenAPI document: JSON Schema made by zod. One with an id (`.meta({ id: 'ApiKey' })`) is written
// once, in `components.schemas`, and referred to elsewhere; all others stand where they are used.

import * as z from 'zod'

export type Json = Record<string, unknown>

/** What is described: a value that callers send, or one that they get. Defaults make the difference. */
export type Direction = 'input' | 'output'

const IN_ZOD = '#/$defs/'
const IN_DOCUMENT = '#/components/schemas/'

export class NamedSchemas {
  readonly all: Record<string, Json> = {}

  /** JSON Schema of `schema`, or a reference to it. Keeps the named schemas that are in it. */
  write(schema: z.ZodType, io: Direction): Json {
    // Within an array, because zod writes the outermost schema out whether it has an id or not.
    const { items, $defs = {} } = toJsonSchema(z.array(schema), io)
    for (const [id, named] of Object.entries($defs)) this.#keep(id, named)
    return items
  }

  /** The schema that a reference leads to; any other is itself. */
  resolve(schema: Json): Json {
    const { $ref, ...beside } = schema
    return typeof $ref === 'string' ? { ...this.all[$ref.slice(IN_DOCUMENT.length)], ...beside } : schema
  }

  #keep(id: string, schema: Json): void {
    if (id.startsWith('__')) throw new Error('a schema that holds itself needs an id: .meta({ id })')
    const kept = this.all[id]
    if (kept !== undefined && JSON.stringify(kept) !== JSON.stringify(schema))
      throw new Error(`two schemas have the id ${id}, or it reads and writes differently: give each its own`)
    this.all[id] = schema
  }
}

function toJsonSchema(schema: z.ZodType, io: Direction): { items: Json; $defs?: Record<string, Json> } {
  const written = JSON.stringify(
    z.toJSONSchema(schema, { io, unrepresentable: 'any', override: withoutIdleBounds }),
  )
  return JSON.parse(written.replaceAll(`"${IN_ZOD}`, `"${IN_DOCUMENT}`))
}

/** Every integer of zod is one that JavaScript holds exactly; only other bounds tell readers something. */
function withoutIdleBounds({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}
