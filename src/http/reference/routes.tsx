// /openapi.json and /docs: the route table, for programs and for people.

import { openApiDocument } from '../openapi.ts'
import { type AnyRoute, defineRoute } from '../route.ts'
import { type ReferenceDocument, ReferencePage } from './page.tsx'

/** The two routes that describe the others, and themselves. */
export function referenceRoutes(routes: readonly AnyRoute[]): AnyRoute[] {
  const described: AnyRoute[] = [...routes]
  described.push(
    defineRoute({
      id: 'reference.document',
      method: 'get',
      path: '/openapi.json',
      auth: 'none',
      summary: 'This API as an OpenAPI 3.1 document',
      documented: { responseTypes: ['application/json'] },
      handle: async ({ deps }) => Response.json(openApiDocument(described, deps.config.baseUrl)),
    }),
    defineRoute({
      id: 'reference.page',
      method: 'get',
      path: '/docs',
      auth: 'none',
      summary: 'This API as a page to read',
      documented: { responseTypes: ['text/html'] },
      handle: async ({ deps }) => page(openApiDocument(described, deps.config.baseUrl)),
    }),
  )
  return described.slice(routes.length)
}

function page(document: object): Response {
  const nonce = crypto.randomUUID()
  // The document was made by `openApiDocument`, whose shape `ReferenceDocument` names in part.
  const html = <ReferencePage document={document as ReferenceDocument} nonce={nonce} />
  return new Response(`<!doctype html>${html}`, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'same-origin',
    },
  })
}
