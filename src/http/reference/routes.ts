// /openapi.json and /docs: the route table, for programs and for people.

/// <reference path="./scalar.d.ts" />
import * as z from 'zod'
import { encodeUtf8 } from '../../lib/utf8.ts'
import { openApiDocument } from '../openapi/document.ts'
import { type AnyRoute, defineRoute } from '../route.ts'
import { PROGRAM_PATH, REFERENCE_PAGE, REFERENCE_POLICY } from './page.ts'

const OpenApiDocument = z.looseObject({ openapi: z.literal('3.1.0') }).meta({ id: 'OpenApiDocument' })

/** Seconds. Another version of Scalar may come a day late. */
const PROGRAM_MAX_AGE = 24 * 60 * 60

/** The routes that describe the others, and themselves. */
export function referenceRoutes(routes: readonly AnyRoute[]): AnyRoute[] {
  const described: AnyRoute[] = [...routes]
  const document = new Kept()
  described.push(
    defineRoute({
      id: 'reference.document',
      method: 'get',
      mounts: { '/openapi.json': 'none' },
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
      mounts: { '/docs': 'none' },
      summary: 'This API as a page to read',
      documented: { answers: { 200: { description: 'A page', content: { 'text/html': z.string() } } } },
      handle: async () => ({
        status: 200,
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': REFERENCE_POLICY,
          'referrer-policy': 'same-origin',
        },
        body: REFERENCE_PAGE,
      }),
    }),
    defineRoute({
      id: 'reference.program',
      method: 'get',
      mounts: { [PROGRAM_PATH]: 'none' },
      summary: 'The program of that page',
      documented: { answers: { 200: { description: 'Scalar', content: { 'text/javascript': z.string() } } } },
      handle: async () => {
        // Part of the Worker rather than one of the platform's static assets: with those, each request of every path
        // goes through one more Worker. Loaded by whoever reads the page: other requests never see these 1.3 MB, and
        // Node programs that read the table cannot import it.
        const { default: program } = await import('../../../build/scalar.bin')
        const headers = {
          'content-type': 'text/javascript; charset=utf-8',
          'content-encoding': 'gzip',
          'cache-control': `public, max-age=${PROGRAM_MAX_AGE}`,
        }
        // Said in a variable: the types of Node, whose programs read this file too, have no `encodeBody`.
        const init = { headers, encodeBody: 'manual' as const }
        return new Response(program, init)
      },
    }),
  )
  return described.slice(routes.length)
}

/**
 * A text that an isolate makes once, since its `BASE_URL` stays: anybody may ask, and making it takes 20 to 50 ms. Only
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
