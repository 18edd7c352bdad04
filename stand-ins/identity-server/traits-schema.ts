// The identity schema: what traits must look like, and which of them a person signs in with. Pure after loading.

import { readFileSync } from 'node:fs'
import { Ajv, type ErrorObject } from 'ajv'
import * as z from 'zod'
import { isJsonObject, isObject, type Json } from '../service/json.ts'

export const SCHEMA_ID = 'default'
/** The id as it stands in a `schema_url`. */
export const SCHEMA_ID_ENCODED = Buffer.from(SCHEMA_ID).toString('base64url')

/** What is asked of the schema here; the rest is the validator's affair. */
interface Schema {
  readonly title?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly format?: string
  readonly 'ory.sh/kratos'?: unknown
}

/** One way in which traits break the schema. */
export interface Violation {
  /** Where in the traits, dotted: `traits.email`. */
  readonly field: string
  readonly keyword: string
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
  /** Empty when the traits are right. */
  check(traits: Json | undefined): Violation[]
  /** What a person with these traits signs in with, as it is compared: lower case, without outer blanks. */
  identifiers(traits: Json): string[]
  readonly fields: readonly TraitField[]
}

/** Nothing that somebody may do stands in it: whoever registers writes their own traits. */
const OWN_FILE = new URL('identity.schema.json', import.meta.url)

/** Reads a schema file, the one beside this one unless told; throws for a keyword that is not understood. */
export function loadTraitsSchema(path: string | URL = OWN_FILE): TraitsSchema {
  const file = readFileSync(path, 'utf8')
  const document: Schema = JSON.parse(file)
  const traits = document.properties?.['traits']
  if (traits === undefined) throw new Error(`${path} has no properties.traits`)
  const validate = new Ajv({
    allErrors: true,
    // Never what an object inherits.
    ownProperties: true,
    verbose: true,
    formats: { email: z.regexes.html5Email },
    // Without Kratos' own keyword, whose name it would refuse.
  }).compile(JSON.parse(file, (key, value) => (key === 'ory.sh/kratos' ? undefined : value)))
  return {
    document,
    check: (value = {}) => (validate({ traits: value }) ? [] : violationsOf(validate.errors ?? [])),
    identifiers: value => [...new Set(findIdentifiers(traits, value))],
    fields: listFields(traits, 'traits', false),
  }
}

export function normaliseIdentifier(identifier: string): string {
  return identifier.trim().toLowerCase()
}

/** Several properties that an object may not have are one violation here, and an error each in the validator. */
function violationsOf(errors: readonly ErrorObject[]): Violation[] {
  return [...new Map(errors.map(violationOf).map(found => [found.reason, found])).values()]
}

function violationOf(error: ErrorObject): Violation {
  const { instancePath, schemaPath, keyword, params, message = '' } = error
  const path = keyword === 'required' ? `${instancePath}/${params['missingProperty']}` : instancePath
  return {
    field: path.slice(1).replaceAll('/', '.'),
    keyword,
    text: message,
    reason: `I[#${instancePath}] S[${schemaPath}] ${message}`,
    ...factsOf(error),
  }
}

function factsOf({ keyword, params, data, schema, message = '' }: ErrorObject): Partial<Violation> {
  if (keyword === 'required') return { expected: params['missingProperty'] }
  if (keyword === 'format') return { actual: String(data) }
  if (keyword !== 'type') return {}
  const actual = typeName(data as Json)
  return { text: `${message}, but got ${actual}`, expected: String(schema), actual }
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
