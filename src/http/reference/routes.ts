// /openapi.json and /docs: the route table, for programs and for people.

import { openApiDocument } from '../openapi.ts'
import { type AnyRoute, defineRoute } from '../route.ts'

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

async function page(document: object): Promise<Response> {
  // Loaded when it is first read: other requests need no JSX, and Node programs that read the table cannot run it.
  const { renderReferencePage } = await import('./page.tsx')
  const nonce = crypto.randomUUID()
  return new Response(renderReferencePage(document, nonce), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'same-origin',
    },
  })
}
