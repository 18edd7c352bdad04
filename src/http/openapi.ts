// The OpenAPI 3.1 document, made from the route table. Nothing is written by hand that a route already says.

import * as z from 'zod'
import { ERROR_CODES } from '../errors.ts'
import { VERSION } from '../lib/version.ts'
import type { AuthLevel } from './auth.ts'
import type { AnyRoute, DocumentedAnswer } from './route.ts'

type Json = Record<string, unknown>

const SECURITY: Record<AuthLevel, Json[]> = {
  none: [],
  any_key: [{ apiKey: [] }],
  service_role: [{ apiKey: [] }],
  session: [{ session: [] }],
  admin: [{ session: [] }],
  internal: [],
}

const CREDENTIAL_SENTENCE: Partial<Record<AuthLevel, string>> = {
  any_key: 'Any API key.',
  service_role: 'A service_role key.',
  session: 'A dashboard session.',
  admin: "An administrator's session.",
}

/** The document for `baseUrl`; routes of level `internal` are left out. */
export function openApiDocument(routes: readonly AnyRoute[], baseUrl: string): Json {
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    if (route.auth === 'internal') continue
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quoin',
      version: VERSION,
      description:
        'Identity, data and platform backend at the edge. Paths under /v1 take an API key in the header `apikey`.',
    },
    servers: [{ url: baseUrl }],
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, schemas: { Error: ERROR_SCHEMA } },
  }
}

function operation(route: AnyRoute): Json {
  const description = [route.description, CREDENTIAL_SENTENCE[route.auth]].filter(Boolean).join('\n\n')
  return {
    operationId: route.id,
    tags: [route.id.split('.')[0]],
    summary: route.summary,
    ...(description && { description }),
    security: SECURITY[route.auth],
    parameters: parameters(route),
    ...requestBody(route),
    responses: responses(route),
  }
}

function parameters(route: AnyRoute): Json[] {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = route.query ? queryParameters(route.query) : []
  const documented = (route.documented?.parameters ?? []).map(({ example, ...parameter }) => ({
    ...parameter,
    schema: { type: 'string' },
    ...(example !== undefined && { example }),
  }))
  return [...inPath, ...inQuery, ...documented]
}

function queryParameters(query: z.ZodObject): Json[] {
  const { properties = {}, required = [] } = jsonSchema(query, 'input') as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description ? { description } : {}),
    schema,
  }))
}

function requestBody(route: AnyRoute): Json {
  const example = route.example === undefined ? {} : { example: route.example }
  if (route.body) {
    const required = !route.body.safeParse(undefined).success
    const json = { schema: jsonSchema(route.body, 'input'), ...example }
    return { requestBody: { required, content: { 'application/json': json } } }
  }
  const [first, ...others] = route.documented?.requestTypes ?? []
  if (first === undefined) return {}
  const documented = route.documented?.requestSchema
  const schema = documented === undefined ? {} : { schema: jsonSchema(documented, 'input') }
  const content = {
    [first]: { ...schema, ...example },
    ...Object.fromEntries(others.map(type => [type, {}])),
  }
  return { requestBody: { content } }
}

function responses(route: AnyRoute): Json {
  const { answers } = route.documented ?? {}
  if (answers) {
    const described = Object.entries(answers).map(([status, answer]) => [status, describedAnswer(answer)])
    return { ...Object.fromEntries(described), default: ERROR_RESPONSE }
  }
  const good: Json = { description: 'Done' }
  if (route.response)
    good['content'] = { 'application/json': { schema: jsonSchema(route.response, 'output') } }
  const types = route.documented?.responseTypes
  if (types) good['content'] = Object.fromEntries(types.map(type => [type, {}]))
  return { [String(route.status ?? 200)]: good, default: ERROR_RESPONSE }
}

function describedAnswer({ description, schema, types = [] }: DocumentedAnswer): Json {
  const json = schema && { 'application/json': { schema: jsonSchema(schema, 'output') } }
  const content = { ...json, ...Object.fromEntries(types.map(type => [type, {}])) }
  return Object.keys(content).length === 0 ? { description } : { description, content }
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  }) as Json
  return rest
}

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'apikey',
    description: 'svc_pk_... (anon) or svc_sk_... (service_role)',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'ory_kratos_session',
    description: "The identity provider's session",
  },
}

const ERROR_SCHEMA = {
  type: 'object',
  required: ['error', 'code', 'detail', 'hint', 'request_id'],
  properties: {
    error: { type: 'string', description: 'what was wrong' },
    code: {
      type: 'string',
      description: `SQLSTATE of a database error, or one of: ${Object.keys(ERROR_CODES).join(', ')}`,
    },
    detail: { type: ['string', 'null'], description: 'more about it, often in the words of the database' },
    hint: { type: ['string', 'null'], description: 'what to do' },
    request_id: { type: 'string' },
  },
}

const ERROR_RESPONSE = {
  description: 'Anything that failed',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
}
