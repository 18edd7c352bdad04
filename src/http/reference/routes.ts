// /openapi.json and /docs: the route table, for programs and for people.

import * as z from 'zod'
import { encodeUtf8 } from '../../lib/utf8.ts'
import { openApiDocument } from '../openapi/document.ts'
import { type AnyRoute, defineRoute } from '../route.ts'
import { STYLE } from './style.ts'

const OpenApiDocument = z.looseObject({ openapi: z.literal('3.1.0') }).meta({ id: 'OpenApiDocument' })

/** The two routes that describe the others, and themselves. */
export function referenceRoutes(routes: readonly AnyRoute[]): AnyRoute[] {
  const described: AnyRoute[] = [...routes]
  const [document, page] = [new Kept(), new Kept()]
  described.push(
    defineRoute({
      id: 'reference.document',
      method: 'get',
      path: '/openapi.json',
      auth: 'none',
      summary: 'This API as an OpenAPI 3.1 document',
      documented: {
        answers: { 200: { description: 'The document', content: { 'application/json': OpenApiDocument } } },
      },
      handle: async ({ deps: { config } }) => ({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: document.of(config.baseUrl, () => JSON.stringify(openApiDocument(described, config.baseUrl))),
      }),
    }),
    defineRoute({
      id: 'reference.page',
      method: 'get',
      path: '/docs',
      auth: 'none',
      summary: 'This API as a page to read',
      documented: { answers: { 200: { description: 'A page', content: { 'text/html': z.string() } } } },
      handle: async ({ deps: { config } }) => {
        // Loaded when it is first read: other requests need no JSX, and Node programs that read the table cannot run
        // it.
        const { renderReferencePage } = await import('./page.tsx')
        const make = () => renderReferencePage(openApiDocument(described, config.baseUrl))
        return { status: 200, headers: await pageHeaders(), body: page.of(config.baseUrl, make) }
      },
    }),
  )
  return described.slice(routes.length)
}

/**
 * A text that an isolate makes once, since its `BASE_URL` stays: anybody may ask, and making it takes 10 to 20 ms. Only
 * what is made is kept, never a promise of it: the request that would keep the promise may be cancelled.
 */
class Kept {
  #baseUrl: string | undefined
  #bytes = new Uint8Array()

  of(baseUrl: string, make: () => string): Uint8Array<ArrayBuffer> {
    if (this.#baseUrl !== baseUrl) {
      this.#bytes = encodeUtf8(make())
      this.#baseUrl = baseUrl
    }
    return this.#bytes
  }
}

/** The page may use its own style, known by its hash, and nothing else. */
async function pageHeaders(): Promise<Record<string, string>> {
  const digest = await crypto.subtle.digest('SHA-256', encodeUtf8(STYLE))
  const styleHash = btoa(String.fromCharCode(...new Uint8Array(digest)))
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      `style-src 'sha256-${styleHash}'`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'same-origin',
  }
}
