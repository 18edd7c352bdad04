// The id of a project in a URL.

import * as z from 'zod'
import { projectNotFound } from '../api-keys/record/project-scope.ts'

const Id = z.uuid()

/**
 * The id in canonical form. Throws `not_found` for anything but a UUID, as for an id that no project has: a key is to
 * learn nothing of what it does not reach.
 */
export function parseProjectId(text: string): string {
  const parsed = Id.safeParse(text)
  if (!parsed.success) throw projectNotFound(text)
  return parsed.data.toLowerCase()
}
