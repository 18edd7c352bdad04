// Everything that a subject has: its own tuples, then those of the groups it is in, and of the groups these are in.

import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../../../api/client.ts'
import { printSet, printTuple, type Tuple } from '../../../parts/tuples/tuple-text.ts'

export interface HeldRole {
  tuple: Tuple
  /** From the role back to the subject; one tuple where it is its own. */
  via: string[]
}

export interface HeldRoles {
  roles: HeldRole[]
  /** False: there are more groups, or more tuples, than were looked into. */
  isComplete: boolean
}

/** Each is a call. */
const GROUPS_MAX = 40

export function heldRolesQuery(subject: string) {
  return queryOptions({
    queryKey: ['tuples', 'held', subject],
    queryFn: ({ signal }) => heldRoles(subject, signal),
  })
}

async function heldRoles(subject: string, signal: AbortSignal): Promise<HeldRoles> {
  const roles: HeldRole[] = []
  const met = new Set([subject])
  let isComplete = true
  let groups: { text: string; via: string[] }[] = [{ text: subject, via: [] }]
  while (groups.length > 0) {
    const answers = await Promise.all(
      groups.map(({ text }) =>
        answerOf(
          api.GET('/api/permsrv/subject-tuples/{subject}', { params: { path: { subject: text } }, signal }),
        ),
      ),
    )
    const next: typeof groups = []
    for (const [i, { tuples, complete }] of answers.entries()) {
      isComplete &&= complete
      for (const tuple of tuples) {
        const via = [printTuple(tuple), ...(groups[i]?.via ?? [])]
        roles.push({ tuple, via })
        const text = printSet(tuple)
        if (met.has(text)) continue
        if (met.size > GROUPS_MAX) isComplete = false
        else {
          met.add(text)
          next.push({ text, via })
        }
      }
    }
    groups = next
  }
  return { roles, isComplete }
}
