// The parts of the OpenAPI document that the reference page shows.

export interface ReferenceDocument {
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
}

export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security: Record<string, string[]>[]
  parameters: Parameter[]
  requestBody?: { content: Record<string, { schema?: Schema; example?: unknown }> }
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>
}

export interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  example?: string
  schema: Schema
}

export interface Schema {
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  format?: string
  minimum?: number
  maximum?: number
  maxLength?: number
}

export interface Endpoint extends Operation {
  method: string
  path: string
}
