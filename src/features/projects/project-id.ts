// The id of a project in a URL.

import * as z from 'zod'
import { projectNotFound } from '../api-keys/record/project-scope.ts'

const Id = z.uuid()

/**
 * The id in canonical form. Throws `not_found` for anything but a UUID: of what it does not reach, a key learns nothing.
 */
export function parseProjectId(text: string): string {
  const parsed = Id.safeParse(text)
  if (!parsed.success) throw projectNotFound(text)
  return parsed.data.toLowerCase()
}
