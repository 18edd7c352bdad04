// The OpenAPI 3.1 document, made from the route table. Nothing is written by hand that a route already says.

import * as z from 'zod'
import { ERROR_CODES } from '../../errors.ts'
import { VERSION } from '../../lib/version.ts'
import type { AuthLevel } from '../admission/principal.ts'
import { fillParams, paramNames } from '../path-pattern.ts'
import { type AnyRoute, type Content, type DocumentedAnswer, type Endpoint, endpointsOf } from '../route.ts'
import { WIRES, wireOf } from '../wires/wires.ts'
import { exampleOf } from './examples.ts'
import { type Direction, type Json, NamedSchemas } from './schemas.ts'
import { TAGS } from './tags.ts'

const SECURITY: Record<AuthLevel, Json[]> = {
  none: [],
  visitor: [],
  public: [],
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

/**
 * The document for `baseUrl`; routes of level `internal` are left out. Throws when a route has no tag, or two schemas
 * share an id.
 */
export function openApiDocument(routes: readonly AnyRoute[], baseUrl: string): Json {
  const described = endpointsOf(routes).filter(({ level }) => level !== 'internal')
  const schemas = new NamedSchemas()
  const paths: Record<string, Json> = {}
  for (const endpoint of described) {
    const path = fillParams(endpoint.path, name => `{${name}}`)
    paths[path] = { ...paths[path], [endpoint.route.method]: operation(endpoint, schemas) }
  }
  const errorContent = content({ 'application/json': ErrorAnswer }, 'output', schemas)
  const wires = WIRES.filter(wire => described.some(({ path }) => wireOf(path) === wire))
  const wireErrors = wires.map(({ documented: { name, content: written } }) => [
    name,
    {
      description: 'What failed, as clients of this system read it',
      content: content(written, 'output', schemas),
    },
  ])
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quoin',
      version: VERSION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: DESCRIPTION,
    },
    servers: [{ url: baseUrl }],
    tags: Object.values(TAGS).filter(tag => described.some(({ route }) => tagOf(route) === tag)),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      responses: {
        Error: { description: 'What failed, and what to do', content: errorContent },
        ErrorOrPage: {
          description: 'What failed, and what to do; as a page for a browser',
          content: { ...errorContent, ...content({ 'text/html': z.string() }, 'output', schemas) },
        },
        ...Object.fromEntries(wireErrors),
      },
      schemas: schemas.all,
    },
  }
}

const DESCRIPTION = `Identity, data and platform backend at the edge.

Paths under \`/v1\` are for programs and take an API key in the header \`apikey\`. Beside it, \`Authorization: Bearer\`
may carry the access token of an end user. Paths under \`/api\` are for the dashboard and take its session cookie.

Every error has the same fields: \`error\` says what was wrong, \`code\` is for programs, \`hint\` says what to do, and
\`request_id\` finds it in the log.`

function tagOf({ id }: AnyRoute) {
  const tag = TAGS[id.split('.')[0] ?? '']
  if (tag === undefined) throw new Error(`${id}: src/http/openapi/tags.ts has no such group`)
  return tag
}

/** The route's id with the surface before it; of several mounts on one surface the later ones are numbered. */
function operationId({ route, path }: Endpoint): string {
  const surface = surfaceOf(path)
  const beside = Object.keys(route.mounts).filter(mount => surfaceOf(mount) === surface)
  const nth = beside.indexOf(path) + 1
  return [surface, route.id, nth > 1 ? nth : undefined].filter(part => part !== undefined).join('.')
}

function surfaceOf(path: string): string | undefined {
  return /^\/(v1|api)\//.exec(path)?.[1]
}

function operation(endpoint: Endpoint, schemas: NamedSchemas): Json {
  const { route, level } = endpoint
  const description = [route.description, CREDENTIAL_SENTENCE[level]].filter(Boolean).join('\n\n')
  return {
    operationId: operationId(endpoint),
    tags: [tagOf(route).name],
    summary: route.summary,
    ...(description && { description }),
    security: SECURITY[level],
    parameters: parameters(endpoint, schemas),
    ...requestBody(route, schemas),
    responses: responses(endpoint, schemas),
  }
}

function parameters({ route, path }: Endpoint, schemas: NamedSchemas): Json[] {
  const { params = {}, query, documented } = route
  const parameter = (name: string, place: string, schema: z.ZodType, required: boolean) => {
    const { description, ...rest } = schemas.write(schema, 'output')
    return {
      name,
      in: place,
      required,
      ...(description !== undefined && { description }),
      ...styleOf(rest),
      schema: rest,
    }
  }
  // What a query's text is read as, rather than the text: `limit` is a number.
  const inQuery = Object.entries(query?.shape ?? {}) as [string, z.ZodType][]
  return [
    ...paramNames(path).map(name => parameter(name, 'path', params[name] ?? z.string(), true)),
    ...inQuery.map(([name, schema]) =>
      parameter(name, 'query', schema, !schema.safeParse(undefined).success),
    ),
    ...(documented?.parameters ?? []).map(({ name, in: place, schema, required = false }) =>
      parameter(name, place, schema, required),
    ),
  ]
}

/** Lists are written with commas, `ids=1,2`; of an object each member is a parameter, `age=gte.18`. */
function styleOf({ type }: Json): Json {
  if (type === 'array') return { style: 'form', explode: false }
  return type === 'object' ? { style: 'form', explode: true } : {}
}

function requestBody({ body, example, documented }: AnyRoute, schemas: NamedSchemas): Json {
  const request = body ? { 'application/json': body } : documented?.request
  if (request === undefined) return {}
  const required = !Object.values(request).some(schema => schema.safeParse(undefined).success)
  return { requestBody: { required, content: content(request, 'input', schemas, example) } }
}

function responses({ route, path }: Endpoint, schemas: NamedSchemas): Json {
  const name = wireOf(path)?.documented.name ?? (route.errorPage ? 'ErrorOrPage' : 'Error')
  const error = { $ref: `#/components/responses/${name}` }
  const good = Object.entries(goodAnswers(route)).map(([status, { description, content: written }]) => [
    status,
    { description, ...(written && { content: content(written, 'output', schemas) }) },
  ])
  return { ...Object.fromEntries(good), '4XX': error, default: error }
}

function goodAnswers({ documented, response, status = 200 }: AnyRoute): Record<number, DocumentedAnswer> {
  if (documented?.answers) return documented.answers
  return { [status]: { description: 'Done', ...(response && { content: { 'application/json': response } }) } }
}

/** Each media type with its schema and an example; `example` is that of the first. */
function content(written: Content, io: Direction, schemas: NamedSchemas, example?: unknown): Json {
  const types = Object.entries(written).map(([type, zodSchema], index) => {
    const schema = schemas.write(zodSchema, io)
    const shown = (index === 0 ? example : undefined) ?? exampleOf(schema, schemas)
    return [type, { schema, ...(shown !== undefined && { example: shown }) }]
  })
  return Object.fromEntries(types)
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

const ErrorAnswer = z
  .object({
    error: z.string().describe('what was wrong'),
    code: z
      .string()
      .describe(`SQLSTATE of a database error, or one of: ${Object.keys(ERROR_CODES).join(', ')}`),
    detail: z.string().nullable().describe('more about it, often in the words of the database'),
    hint: z.string().nullable().describe('what to do'),
    request_id: z.string(),
    line: z.int().optional().describe('of the place in SQL that was sent, from 1; only where it is known'),
    column: z.int().optional().describe('beside line: in characters, from 1'),
    statement_index: z
      .int()
      .optional()
      .describe('of a transaction: index of the statement that failed; at COMMIT the number of statements'),
  })
  .meta({
    id: 'Error',
    examples: [
      {
        error: 'The API key is missing, malformed, unknown, expired or revoked.',
        code: 'invalid_api_key',
        detail: null,
        hint: 'Send a key of this deployment in the header apikey.',
        request_id: '8c1f4ab0-6f5c-4a0e-9f0b-3d1b7a5f2c9e',
      },
    ],
  })
