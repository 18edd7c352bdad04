// The documents that are made from the code: the OpenAPI document, the API page and the tables of variables in three
// READMEs. Reads the route table and the schemas of variables; starts nothing.

import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { Variables as ListenerVariables } from '../listener/config.ts'
import { Variables as GatewayVariables } from '../sql-gateway/config.ts'
import { Variables as WorkerVariables } from '../src/config.ts'
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
    await readmeOf('README.md', WorkerVariables),
    await readmeOf('sql-gateway/README.md', GatewayVariables),
    await readmeOf('listener/README.md', ListenerVariables),
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

/** A README with the table of these variables in the place that its comments mark. */
async function readmeOf(path: string, variables: z.ZodObject): Promise<GeneratedDocument> {
  const readme = await readFile(path, 'utf8')
  const rows = Object.entries(variables.shape).map(([name, schema]) => {
    const description = z.globalRegistry.get(schema)?.description ?? ''
    return `| \`${name}\` | ${defaultOf(schema)} | ${description} |`
  })
  const table = `| Variable | Default | Meaning |\n|---|---|---|\n${rows.join('\n')}`
  return {
    path,
    text: readme.replace(/(<!-- variables:.*-->)[\s\S]*?(<!-- \/variables -->)/, `$1\n${table}\n$2`),
  }
}

/** What the schema makes of a variable that is not set, as a cell of the table. */
function defaultOf(schema: z.core.$ZodType): string {
  const { success, data } = z.safeParse(schema, undefined)
  if (!success) return 'required'
  const text = String(data ?? '')
  return text === '' ? '' : `\`${text}\``
}
