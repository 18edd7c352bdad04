import { answerOf, api } from '../../../api/client.ts'
import type { PaletteItem } from '../../../app/root-route.ts'

export async function records(): Promise<PaletteItem[]> {
  const { tables } = await answerOf(api.GET('/api/database/tables'))
  return tables.map(({ schema, name }) => ({
    id: `table ${schema}.${name}`,
    title: name,
    note: `Table of ${schema}`,
    keywords: `${schema}.${name}`,
    href: `/database/tables/${encodeURIComponent(schema)}/${encodeURIComponent(name)}`,
  }))
}
