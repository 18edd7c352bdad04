// The documents that are made from the code: the OpenAPI document, the API page and the README's variables.
// Reads the route table and the configuration's schema; starts nothing.

import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { Variables } from '../src/config.ts'
import { openApiDocument } from '../src/http/openapi/document.ts'
import { referenceRoutes } from '../src/http/reference/routes.ts'
import { endpointName, endpointsOf } from '../src/http/route.ts'
import { allRoutes } from '../src/routes/index.ts'

/** The whole table, as a running service describes it. */
const routes = [...allRoutes, ...referenceRoutes(allRoutes)]

export interface GeneratedDocument {
  path: string
  text: string
}

/** Every generated document with the text that it should have now. */
export async function generatedDocuments(): Promise<GeneratedDocument[]> {
  return [
    {
      path: 'docs/openapi.json',
      text: `${JSON.stringify(openApiDocument(routes, 'http://127.0.0.1:8787'), null, 2)}\n`,
    },
    { path: 'docs/api.md', text: apiPage() },
    { path: 'README.md', text: await readmeWithVariables() },
  ]
}

function apiPage(): string {
  const groups = Map.groupBy(endpointsOf(routes), ({ route }) => route.id.split('.')[0] ?? '')
  const sections = [...groups].map(([name, endpoints]) => {
    const rows = endpoints.map(
      endpoint => `| \`${endpointName(endpoint)}\` | ${endpoint.level} | ${endpoint.route.summary} |`,
    )
    return `## ${name}\n\n| Endpoint | Credential | What it does |\n|---|---|---|\n${rows.join('\n')}\n`
  })
  const note = 'Written by `npm run docs` from the route table. Fields: `/docs` of a running service.'
  return `# API\n\n${note}\n\n${sections.join('\n')}`
}

/**
 * What the schema makes of a variable that is not set; read by parsing, since JSON Schema loses it behind transforms.
 */
function defaultOf(name: string): string {
  const parsed: Record<string, unknown> = Variables.parse({
    DATABASE_URL: 'postgres://h',
    DATA_DATABASE_URL: 'postgres://h',
  })
  const value = parsed[name]
  const text = value === undefined ? '' : String(value)
  return text === '' ? '' : `\`${text}\``
}

async function readmeWithVariables(): Promise<string> {
  const readme = await readFile('README.md', 'utf8')
  const { properties = {}, required = [] } = z.toJSONSchema(Variables, {
    io: 'input',
    unrepresentable: 'any',
  })
  const rows = Object.entries(properties).map(([name, property]) => {
    const { description = '' } = property as { description?: string }
    return `| \`${name}\` | ${required.includes(name) ? 'required' : defaultOf(name)} | ${description} |`
  })
  const table = `| Variable | Default | Meaning |\n|---|---|---|\n${rows.join('\n')}`
  return readme.replace(/(<!-- variables:.*-->)[\s\S]*?(<!-- \/variables -->)/, `$1\n${table}\n$2`)
}
