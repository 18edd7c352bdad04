// The file of types that `createClient<Database>` of supabase-js takes. Pure. The same schema gives the same text.

import { isCallable, shapeOf } from './function-shape.ts'
import { functionText } from './function-text.ts'
import { relationshipsOf } from './relationship-list.ts'
import { relationText } from './row-text.ts'
import { SHORTHANDS } from './shorthand-text.ts'
import type { DatabaseFacts, TypeFact } from './type-facts.ts'
import { type TypeNames, typeNames } from './type-names.ts'
import { block, inOrder, key, literal, nullable, record, union, valueKey } from './type-syntax.ts'

/** Whose wire `/rest/v1` speaks: what supabase-js may ask for follows from it. */
const POSTGREST_VERSION = '14'

/** Told of each part's length, so that whoever bounds the text can throw. */
type OnText = (length: number) => void

/**
 * The text for these schemas, of which the first is the default. Of others neither tables nor functions nor types are
 * named; a foreign key that a view shows keeps its name, by which an embed asks for it.
 */
export function databaseText(facts: DatabaseFacts, schemas: readonly string[], onText: OnText): string {
  const names = typeNames(facts, schemas)
  const relationships = relationshipsOf(facts)
  const ordered = inOrder(new Set(schemas), name => name)
  const inner = ordered.map(
    schema => `${key(schema)}: ${block(schemaParts({ facts, names, relationships, onText }, schema))}`,
  )
  const version = `__InternalSupabase: ${block([`PostgrestVersion: ${literal(POSTGREST_VERSION)}`])}`
  const constants = ordered.map(schema => constantsText(facts, schema))
  return `// Written by Quoin from the database: \`npm run types:database\` writes it anew.

export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = ${block([version, ...inner])}

type DefaultSchema = ${literal(schemas[0] ?? '')}

${SHORTHANDS}
export const Constants = ${block(constants)} as const
`
}

interface Writing {
  readonly facts: DatabaseFacts
  readonly names: TypeNames
  readonly relationships: ReturnType<typeof relationshipsOf>
  readonly onText: OnText
}

function schemaParts({ facts, names, relationships, onText }: Writing, schema: string): string[] {
  const measured = (text: string) => {
    onText(text.length)
    return text
  }
  const isHere = (fact: { schema: string }) => fact.schema === schema
  const shapes = facts.functions.filter(isHere).map(shapeOf)
  const functions = shapes.filter(shape => isCallable(shape, names))
  const relations = inOrder(facts.relations.filter(isHere), ({ name }) => name)
  const textsOf = (isView: boolean) =>
    relations
      .filter(relation => relation.isView === isView)
      .map(relation =>
        measured(relationText(relation, { relationships: relationships(relation), functions }, names)),
      )
  const overloads = Map.groupBy(functions, ({ fact }) => fact.name)
  return [
    `Tables: ${record(textsOf(false))}`,
    `Views: ${record(textsOf(true))}`,
    `Functions: ${record(
      inOrder(overloads, ([name]) => name).map(([name, all]) => measured(functionText(name, all, names))),
    )}`,
    `Enums: ${record(enumsOf(facts, schema).map(type => `${key(type.name)}: ${union(labels(type))}`))}`,
    `CompositeTypes: ${record(compositesOf(facts, schema).map(type => measured(compositeText(type, names))))}`,
  ]
}

const labels = (type: TypeFact) => (type.labels ?? []).map(literal)

function enumsOf({ types }: DatabaseFacts, schema: string): TypeFact[] {
  const enums = types.filter(type => type.kind === 'e' && type.schema === schema)
  return inOrder(enums, ({ name }) => name)
}

function compositesOf({ types }: DatabaseFacts, schema: string): TypeFact[] {
  const composites = types.filter(type => type.attributes !== null && type.schema === schema)
  return inOrder(composites, ({ name }) => name)
}

function compositeText({ name, attributes }: TypeFact, names: TypeNames): string {
  const fields = (attributes ?? []).map(each => `${key(each.name)}: ${nullable(names.of(each.type))}`)
  return `${key(name)}: ${block(fields)}`
}

/** Labels of enums as values, for a form's choices. */
function constantsText(facts: DatabaseFacts, schema: string): string {
  const enums = enumsOf(facts, schema).map(type => `${valueKey(type.name)}: [${labels(type).join(', ')}],`)
  return `${valueKey(schema)}: ${block([`Enums: ${block(enums)},`])},`
}
