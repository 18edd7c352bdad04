import { answerOf, api } from '../../../api/client.ts'
import type { PaletteItem } from '../../../app/root-route.ts'

export async function records(): Promise<PaletteItem[]> {
  const all = await answerOf(api.GET('/api/oauthsrv/clients'))
  return all.map(({ client_id: id, client_name: name }) => ({
    id: `client ${id}`,
    title: name || id,
    note: 'Client',
    keywords: id,
    href: `/oauth2/clients/${encodeURIComponent(id)}`,
  }))
}
