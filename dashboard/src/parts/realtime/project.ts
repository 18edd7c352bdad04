// Sockets belong to a project. Row changes are the same in all of them.

import { queryOptions } from '@tanstack/react-query'
import { type Project, projectsQuery } from '../projects.ts'

/** The one that is used where nobody has chosen: the oldest that is not paused. */
export function usualProject(projects: readonly Project[]): Project | undefined {
  return projects.findLast(({ status }) => status === 'active') ?? projects.at(-1)
}

/** Its id; null where there is no project at all. */
export const usualProjectQuery = queryOptions({
  ...projectsQuery,
  select: ({ data }) => usualProject(data)?.id ?? null,
})
