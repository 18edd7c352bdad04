import { queryClient } from '../../api/query-client.ts'
import type { PaletteItem } from '../../app/root-route.ts'
import { projectsQuery } from '../../parts/projects.ts'

export async function records(): Promise<PaletteItem[]> {
  const { data } = await queryClient.fetchQuery(projectsQuery)
  return data.map(({ id, name }) => ({
    id: `project ${id}`,
    title: name,
    note: 'Project',
    keywords: `${id} pause resume`,
    href: `/projects/${id}`,
  }))
}
