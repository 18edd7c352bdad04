// The OpenAPI document, as tools read it: a linter, a validator of JSON Schema, a generator of client types.

import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import openapiTypes, { astToString } from 'openapi-typescript'
import { describe, expect, it } from 'vitest'
import { PROJECT_DIR } from '../../cli/support/project.ts'
import { generatedDocuments } from '../../scripts/generated-documents.ts'

const PATH = 'docs/openapi.json'

interface Schema {
  $ref?: string
  type?: string | string[]
  items?: Schema
  anyOf?: Schema[]
}

interface Described {
  schema: Schema
  example?: unknown
}

interface Parameter extends Described {
  name: string
  in: string
  description?: string
}

interface Operation {
  operationId: string
  parameters: Parameter[]
  requestBody?: { content: Record<string, Described> }
  responses: Record<string, { content?: Record<string, Described> }>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object> }
}

const documents = await generatedDocuments()
const text = documents.find(({ path }) => path === PATH)?.text ?? ''
const document: Document = JSON.parse(text)
const operations = Object.values(document.paths).flatMap(path => Object.values(path))

/** The good answers in JSON, by the name of their operation. */
const jsonAnswers = operations.flatMap(({ operationId, responses }) =>
  Object.entries(responses).flatMap(([status, { content }]) => {
    const json = content?.['application/json']
    return /^2/.test(status) && json ? [{ name: `${operationId} ${status}`, json }] : []
  }),
)
const jsonBodies = operations.flatMap(({ operationId, requestBody }) => {
  const json = requestBody?.content['application/json']
  return json ? [{ name: operationId, json }] : []
})

describe('the OpenAPI document', () => {
  it('has nothing that a strict linter complains of', async () => {
    const program = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js')
    // Neither asks the registry for a newer version, nor tells anybody that it ran.
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const lint = promisify(execFile)(process.execPath, [program, 'lint', PATH], { cwd: PROJECT_DIR, env })
    const findings = await lint.then(
      () => '',
      ({ stdout, stderr }) => stdout || stderr,
    )
    expect(findings).toBe('')
  })

  it('gives client types, of which every record has a name', async () => {
    const types = astToString(await openapiTypes(text, { defaultNonNullable: false }))
    expect(types).toContain('"application/json": components["schemas"]["ApiKeyList"];')
    expect(text).not.toContain('$defs')
    const unnamed = [...jsonAnswers, ...jsonBodies].filter(({ json }) => !isNamed(json.schema))
    expect(unnamed.map(({ name }) => name)).toEqual([])
  })

  // What a call in TypeScript then looks like: without casts, and without what has a default.
  it('gives types in which numbers are numbers, and only what must be sent is required', async () => {
    const types = astToString(await openapiTypes(text, { defaultNonNullable: false }))
    const [, list = ''] = /"v1\.keys\.list": \{(.*?)responses:/s.exec(types) ?? []
    expect(list).toMatch(/limit\?: number;/)
    const [, read = ''] = /"v1\.db\.read": \{(.*?)responses:/s.exec(types) ?? []
    expect(read).toMatch(/filters\?: \{\s*\[key: string\]: string;\s*\};/)
    const [, sql = ''] = /SqlRequest: \{(.*?)\n {8}\};/s.exec(types) ?? []
    expect(sql).toMatch(/sql: string;.*params\?: unknown\[\];.*row_limit\?: number;/s)
  })

  it('says of every parameter what it is and of which type', () => {
    const vague = operations.flatMap(({ operationId, parameters }) =>
      parameters
        .filter(({ description, schema }) => !description || !(schema.type ?? schema.anyOf))
        .map(({ name }) => `${operationId} ${name}`),
    )
    expect(vague).toEqual([])
  })

  it('has an example of every good answer and every body in JSON, true to its schema', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema({ $id: 'openapi', components: document.components })
    const wrong = [...jsonAnswers, ...jsonBodies].flatMap(({ name, json: { schema, example } }) => {
      if (example === undefined) return [`${name}: no example`]
      const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')))
      return validate(example) ? [] : [`${name}: ${ajv.errorsText(validate.errors)}`]
    })
    expect(wrong).toEqual([])
  })
})

/** A reference, or a list or choice of nothing else. */
function isNamed({ $ref, items, anyOf }: Schema): boolean {
  if ($ref !== undefined) return true
  return items === undefined ? (anyOf?.every(isNamed) ?? false) : isNamed(items)
}
