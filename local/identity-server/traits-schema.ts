// The identity schema: what traits must look like, and which of them a person signs in with. Understands the keywords
// that identity.schema.json uses and refuses a schema with others, so that none is ignored silently. Pure after loading.

import { readFileSync } from 'node:fs'
import { isJsonObject, isObject, type Json, type JsonObject } from '../service/json.ts'
import { isEmail } from './email.ts'

export const SCHEMA_ID = 'default'
/** The id as it stands in a `schema_url`. */
export const SCHEMA_ID_ENCODED = Buffer.from(SCHEMA_ID).toString('base64url')

const UNDERSTOOD = new Set([
  ...['$id', '$schema', 'title', 'type', 'properties', 'required', 'additionalProperties', 'items'],
  ...['format', 'minLength', 'ory.sh/kratos'],
])

interface Schema {
  readonly type?: string
  readonly title?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
  readonly items?: Schema
  readonly format?: string
  readonly minLength?: number
  readonly 'ory.sh/kratos'?: unknown
}

/** One way in which traits break the schema. */
export interface Violation {
  /** Where in the traits, dotted: `traits.email`. */
  readonly field: string
  readonly keyword: 'type' | 'required' | 'additionalProperties' | 'format' | 'minLength'
  /** The sentence alone. */
  readonly text: string
  /** The sentence with both pointers, as the admin API gives it. */
  readonly reason: string
  /** Of `type`: what it should be and what it is; of `required`: the property; of `format`: the value. */
  readonly expected?: string
  readonly actual?: string
}

/** A trait that a form asks for. */
export interface TraitField {
  readonly name: string
  readonly type: 'email' | 'text'
  readonly title: string | undefined
  readonly isRequired: boolean
}

export interface TraitsSchema {
  /** The file as it is. */
  readonly document: unknown
  /** Empty when the traits are right; only the first of a kind and place. */
  check(traits: Json | undefined): Violation[]
  /** What a person with these traits signs in with, as it is compared: lower case, without outer blanks. */
  identifiers(traits: Json): string[]
  readonly fields: readonly TraitField[]
}

/** Reads the schema file beside this one; throws when it uses a keyword that is not understood. */
export function loadTraitsSchema(): TraitsSchema {
  const document: unknown = JSON.parse(readFileSync(new URL('identity.schema.json', import.meta.url), 'utf8'))
  assertSchema(document)
  const traits = document.properties?.['traits']
  if (traits === undefined) throw new Error('identity.schema.json has no properties.traits')
  return {
    document,
    check: value => (value === undefined ? checkValue(traits, {}, ROOT) : checkValue(traits, value, ROOT)),
    identifiers: value => [...new Set(findIdentifiers(traits, value))],
    fields: listFields(traits, 'traits', false),
  }
}

export function normaliseIdentifier(identifier: string): string {
  return identifier.trim().toLowerCase()
}

interface Place {
  readonly instance: string
  readonly schema: string
}
const ROOT: Place = { instance: '#/traits', schema: '#/properties/traits' }

function checkValue(schema: Schema, value: Json, at: Place): Violation[] {
  const actual = typeName(value)
  if (schema.type !== undefined && schema.type !== actual)
    return [
      violation(at, 'type', `expected ${schema.type}, but got ${actual}`, { expected: schema.type, actual }),
    ]
  if (typeof value === 'string') return checkString(schema, value, at)
  if (Array.isArray(value)) {
    const { items } = schema
    return items === undefined
      ? []
      : value.flatMap((item, i) => checkValue(items, item, step(at, String(i), 'items')))
  }
  return isJsonObject(value) ? checkObject(schema, value, at) : []
}

function checkString(schema: Schema, value: string, at: Place): Violation[] {
  const found: Violation[] = []
  if (schema.minLength !== undefined && [...value].length < schema.minLength)
    found.push(
      violation(at, 'minLength', `length must be >= ${schema.minLength}, but got ${[...value].length}`),
    )
  if (schema.format === 'email' && !isEmail(value))
    found.push(violation(at, 'format', `${JSON.stringify(value)} is not valid "email"`, { actual: value }))
  return found
}

function checkObject(schema: Schema, value: JsonObject, at: Place): Violation[] {
  const properties = schema.properties ?? {}
  const missing = (schema.required ?? []).filter(name => !Object.hasOwn(value, name))
  const extra = Object.keys(value).filter(name => !Object.hasOwn(properties, name))
  const found: Violation[] = missing.map(name => ({
    ...violation(at, 'required', `missing properties: ${JSON.stringify(name)}`, { expected: name }),
    field: `${dotted(at)}.${name}`,
  }))
  if (schema.additionalProperties === false && extra.length > 0) {
    const names = extra.map(name => JSON.stringify(name)).join(', ')
    found.push(violation(at, 'additionalProperties', `additionalProperties ${names} not allowed`))
  }
  for (const [name, sub] of Object.entries(properties)) {
    const item = Object.hasOwn(value, name) ? value[name] : undefined
    if (item !== undefined) found.push(...checkValue(sub, item, step(at, name, `properties/${name}`)))
  }
  return found
}

function violation(
  at: Place,
  keyword: Violation['keyword'],
  text: string,
  facts: Pick<Violation, 'expected' | 'actual'> = {},
): Violation {
  return {
    field: dotted(at),
    keyword,
    text,
    reason: `I[${at.instance}] S[${at.schema}/${keyword}] ${text}`,
    ...facts,
  }
}

function step(at: Place, key: string, schemaPath: string): Place {
  return { instance: `${at.instance}/${key}`, schema: `${at.schema}/${schemaPath}` }
}

function dotted(at: Place): string {
  return at.instance.slice('#/'.length).replaceAll('/', '.')
}

function typeName(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function findIdentifiers(schema: Schema, value: Json): string[] {
  if (typeof value === 'string') return isIdentifier(schema) ? [normaliseIdentifier(value)] : []
  if (!isJsonObject(value)) return []
  return Object.entries(schema.properties ?? {}).flatMap(([name, sub]) => {
    const item = Object.hasOwn(value, name) ? value[name] : undefined
    return item === undefined ? [] : findIdentifiers(sub, item)
  })
}

function isIdentifier(schema: Schema): boolean {
  const extension = schema['ory.sh/kratos']
  if (!isObject(extension) || !isObject(extension['credentials'])) return false
  const password = extension['credentials']['password']
  return isObject(password) && password['identifier'] === true
}

function listFields(schema: Schema, name: string, isRequired: boolean): TraitField[] {
  if (schema.properties === undefined)
    return [{ name, type: schema.format === 'email' ? 'email' : 'text', title: schema.title, isRequired }]
  return Object.entries(schema.properties).flatMap(([key, sub]) =>
    listFields(sub, `${name}.${key}`, schema.required?.includes(key) ?? false),
  )
}

function assertSchema(value: unknown): asserts value is Schema {
  if (!isObject(value)) throw new Error('identity.schema.json: a schema is no object')
  const unknown = Object.keys(value).filter(key => !UNDERSTOOD.has(key))
  if (unknown.length > 0) throw new Error(`identity.schema.json: not understood: ${unknown.join(', ')}`)
  for (const sub of Object.values(isObject(value['properties']) ? value['properties'] : {})) assertSchema(sub)
  if (value['items'] !== undefined) assertSchema(value['items'])
}
