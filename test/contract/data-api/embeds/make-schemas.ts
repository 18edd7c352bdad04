// Makes schemas in the stack's database.

import { connectOwner } from '../../../support/postgres.ts'
import type { Schema } from './schema-model.ts'

/** Makes and fills them, each under its name, in a transaction of its own: all at once are too many locks. */
export async function makeSchemas(schemas: readonly Schema[], names: readonly string[]): Promise<void> {
  await using owner = await connectOwner()
  for (const [i, { sql }] of schemas.entries()) {
    const name = names[i] ?? ''
    await owner.query(`create schema ${name};\n${sql.replace(/\$(?!\d)/g, name)}`)
  }
}

export async function dropSchemas(names: readonly string[]): Promise<void> {
  await using owner = await connectOwner()
  for (const name of names) await owner.query(`drop schema if exists ${name} cascade`)
}
