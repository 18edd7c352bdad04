// The audit log as callers see it, and what a list of it takes.

import * as z from 'zod'
import { Instant } from '../../lib/instant.ts'
import { WholeNumber } from '../../lib/whole-number.ts'

const Outcome = z.enum(['pending', 'succeeded', 'failed'])
const ActorKind = z.enum(['api_key', 'session', 'anonymous'])
const Time = z.iso.datetime({ offset: true })

export const AuditLog = z.object({
  id: z.uuid(),
  created_at: Time,
  completed_at: Time.nullable(),
  request_id: z.string().describe('X-Request-Id of the request that made the change'),
  actor_kind: ActorKind,
  actor_id: z.string().nullable().describe('id of the API key or of the identity'),
  actor_name: z.string().nullable().describe("the key's name or the identity's e-mail address, at the time"),
  address: z.string().nullable().describe("the client's network address"),
  action: z.string().describe('id of the endpoint, as `keys.rotate`'),
  target_kind: z.string(),
  target_id: z.string().nullable(),
  outcome: Outcome.describe('pending: nobody saw the end of the change, which may have been made'),
  error_code: z
    .string()
    .nullable()
    .describe('code of the error of a change that failed, or whose end nobody saw'),
  before: z.unknown().describe('the state before, without secrets; null where there was none'),
  after: z.unknown().describe('the state after, without secrets; null where there is none'),
})
export type AuditLog = z.infer<typeof AuditLog>

const AUDIT_LOGS_PER_PAGE_MAX = 1_000
const Filter = z.string().min(1).max(500).optional()

export const AuditLogListQuery = z.strictObject({
  actor_kind: ActorKind.optional(),
  actor_id: Filter,
  action: Filter,
  target_kind: Filter,
  target_id: Filter,
  outcome: Outcome.optional(),
  request_id: Filter,
  from: Instant.optional().describe('Entries of this time and later, as 2030-01-31T12:00:00Z'),
  to: Instant.optional().describe('Entries before this time'),
  limit: WholeNumber.pipe(z.int().min(1).max(AUDIT_LOGS_PER_PAGE_MAX))
    .default(100)
    .describe('Entries per page; a page of large ones ends earlier'),
  cursor: z.string().max(200).optional().describe('`next_cursor` of the page before, with the same filters'),
})
export type AuditLogListQuery = z.infer<typeof AuditLogListQuery>

export const AuditLogList = z.object({
  data: z.array(AuditLog),
  next_cursor: z.string().nullable().describe('null: the list is complete'),
})
export type AuditLogList = z.infer<typeof AuditLogList>
