// A build step of wrangler.toml: writes build/scalar.bin, the program of the page at /docs, compressed by gzip.
//
// Scalar's own package brings 270 others with it. The one for Fastify holds the same program, and hands it out by a
// route; so it is registered here with what stands in for Fastify.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import ours from '../package.json' with { type: 'json' }

const TARGET = new URL('../build/scalar.bin', import.meta.url)
const VERSION = ours.devDependencies['@scalar/fastify-api-reference']
const NOTICE = `/*! Scalar API Reference ${VERSION}, MIT License, https://github.com/scalar/scalar */\n`

// wrangler runs this at each edit; a newer file would set off its watcher for nothing.
if (!(await isPresent())) {
  await mkdir(new URL('.', TARGET), { recursive: true })
  await writeFile(TARGET, gzipSync(NOTICE + (await scalarProgram()), { level: 9 }))
}

async function isPresent(): Promise<boolean> {
  const present = await readFile(TARGET).catch(() => undefined)
  return present !== undefined && gunzipSync(present).subarray(0, NOTICE.length).toString() === NOTICE
}

interface FastifyRoute {
  readonly url: string
  readonly handler: (request: object, reply: object) => unknown
}

async function scalarProgram(): Promise<string> {
  const { default: register } = await import('@scalar/fastify-api-reference')
  let program = ''
  const reply = {
    header: () => reply,
    send: (body: string) => {
      program = body
    },
  }
  const route = ({ url, handler }: FastifyRoute) => url.endsWith('/scalar.js') && handler({}, reply)
  register({ route } as never, { configuration: { url: '/openapi.json' } } as never, () => {})
  if (program === '')
    throw new Error('@scalar/fastify-api-reference hands its program out in another way than it did')
  return program
}
