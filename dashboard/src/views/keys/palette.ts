import { queryClient } from '../../api/query-client.ts'
import type { PaletteItem } from '../../app/root-route.ts'
import { keysQuery } from '../../parts/api-keys.ts'
import { shownKey } from '../../parts/keys/shown-key.ts'

/** Those that still work: what is looked for here is to be changed, rotated or revoked. */
export async function records(): Promise<PaletteItem[]> {
  const { data } = await queryClient.fetchQuery(keysQuery)
  return data
    .filter(({ revoked_at: revokedAt }) => revokedAt === null)
    .map(key => ({
      id: `key ${key.id}`,
      title: key.name,
      note: 'API key',
      keywords: `${key.id} ${shownKey(key)} rotate revoke`,
      href: `/keys?${new URLSearchParams({ key: key.id })}`,
    }))
}
