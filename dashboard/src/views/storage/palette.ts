import { answerOf, api } from '../../api/client.ts'
import type { PaletteItem } from '../../app/root-route.ts'

export async function records(): Promise<PaletteItem[]> {
  const { data } = await answerOf(api.GET('/api/storage/buckets', { params: { query: { limit: 1_000 } } }))
  return data.map(({ id }) => ({
    id: `bucket ${id}`,
    title: id,
    note: 'Bucket',
    href: `/storage/${encodeURIComponent(id)}`,
  }))
}
