import { answerOf, api } from '../../api/client.ts'
import type { PaletteItem } from '../../app/root-route.ts'

export async function records(): Promise<PaletteItem[]> {
  const { data } = await answerOf(api.GET('/api/webhooks', { params: { query: { limit: 1_000 } } }))
  return data.map(({ id, name, table_name: table }) => ({
    id: `webhook ${id}`,
    title: name,
    note: 'Webhook',
    keywords: `${id} ${table}`,
    href: `/webhooks/${id}`,
  }))
}
