import { answerOf, api } from '../../api/client.ts'
import type { PaletteItem } from '../../app/root-route.ts'

/** The first page, which is everybody of a small product. */
export async function records(): Promise<PaletteItem[]> {
  const { data } = await answerOf(api.GET('/api/auth/identities', { params: { query: { limit: 500 } } }))
  return data.map(({ id, traits: { email, name } }) => ({
    id: `identity ${id}`,
    title: typeof email === 'string' ? email : id,
    note: 'Identity',
    keywords: `${id} ${typeof name === 'string' ? name : Object.values(name ?? {}).join(' ')}`,
    href: `/identities/${encodeURIComponent(id)}`,
  }))
}
