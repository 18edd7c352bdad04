// What the search finds beside views: what can be done in them, and their records by name or id.

import { queryOptions } from '@tanstack/react-query'
import { VIEWS } from './navigation.tsx'
import type { PaletteItem } from './root-route.ts'

export const ACTIONS: readonly PaletteItem[] = VIEWS.flatMap(({ navigation, adminsOnly, actions = {} }) =>
  Object.entries(actions).map(([title, href]) => ({
    id: `action ${title}`,
    title,
    note: navigation?.label,
    href,
    adminsOnly,
  })),
)

/** Read when the search opens. A list that cannot be read is left out: the search goes on without it. */
export function paletteRecordsQuery(isAdmin: boolean) {
  return queryOptions({
    queryKey: ['palette', isAdmin],
    queryFn: async (): Promise<PaletteItem[]> => {
      const asked = VIEWS.filter(({ adminsOnly = false }) => isAdmin || !adminsOnly)
      const lists = await Promise.allSettled(asked.map(({ records }) => records?.() ?? []))
      return lists.flatMap(list => (list.status === 'fulfilled' ? list.value : []))
    },
    staleTime: 30_000,
    retry: false,
  })
}
