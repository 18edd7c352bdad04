import { answerOf, api } from '../../api/client.ts'
import type { PaletteItem } from '../../app/root-route.ts'
import { nameOf, titleOf } from '../../parts/person.ts'

/** The first page, which is everybody of a small product. */
export async function records(): Promise<PaletteItem[]> {
  const { data } = await answerOf(api.GET('/api/auth/identities', { params: { query: { limit: 500 } } }))
  return data.map(person => ({
    id: `identity ${person.id}`,
    title: titleOf(person),
    note: 'Identity',
    keywords: `${person.id} ${nameOf(person) ?? ''}`,
    href: `/identities/${encodeURIComponent(person.id)}`,
  }))
}
