// The ids of webhooks, log entries and dead letters in a URL, and what is answered when none has it.

import * as z from 'zod'
import { DomainError } from '../../errors.ts'

const Id = z.uuid()

/** The id in canonical form. Throws `invalid_parameter` for anything but a UUID; `what` names the thing. */
export function parseId(what: 'webhook' | 'log entry' | 'dead letter', text: string): string {
  const parsed = Id.safeParse(text)
  if (parsed.success) return parsed.data.toLowerCase()
  throw new DomainError('invalid_parameter', `The id of the ${what} in the path is not a UUID.`, {
    hint: `Use the \`id\` of the ${what} as the list shows it.`,
  })
}

/** No webhook has the id. */
export function webhookNotFound(id: string): DomainError {
  return new DomainError('not_found', `No webhook has the id ${id}.`, {
    hint: 'GET /v1/webhooks and the dashboard list the webhooks and their ids.',
  })
}

export function deliveryNotFound(logId: string): DomainError {
  return new DomainError('not_found', `The webhook's log has no entry with the id ${logId}.`, {
    hint: 'Entries are kept 30 days. GET /api/webhooks/:id/logs lists them.',
  })
}
