// The audit log as callers see it, and what a list of it takes.

import * as z from 'zod'
import { Instant, isForward, REVERSED } from '../../lib/instant.ts'
import { WholeNumber } from '../../lib/whole-number.ts'

const Outcome = z.enum(['pending', 'succeeded', 'failed'])
const ActorKind = z.enum(['api_key', 'session', 'anonymous'])
const Time = z.iso.datetime({ offset: true })

export const AuditLog = z
  .object({
    id: z.uuid(),
    created_at: Time,
    completed_at: Time.nullable(),
    request_id: z.string().describe('X-Request-Id of the request that made the change'),
    actor_kind: ActorKind,
    actor_id: z.string().nullable().describe('id of the API key or of the identity'),
    actor_name: z
      .string()
      .nullable()
      .describe("the key's name or the identity's e-mail address, at the time"),
    address: z.string().nullable().describe("the client's network address"),
    action: z.string().describe('id of the endpoint, as `keys.rotate`'),
    target_kind: z.string(),
    target_id: z.string().nullable(),
    outcome: Outcome.describe('pending: the outcome of the change is unknown; it may have been made'),
    error_code: z
      .string()
      .nullable()
      .describe('code of the error of a change that failed, or whose outcome is unknown'),
    before: z
      .unknown()
      .describe('the state before, without secrets; of SQL its text; null where there was none'),
    after: z
      .unknown()
      .describe('the state after, without secrets; for rows and SQL what was done; null where there is none'),
  })
  .meta({
    id: 'AuditLog',
    examples: [
      {
        id: '0e3c9b1a-7f5d-4a2b-8c6e-9d0f1a2b3c4d',
        created_at: '2026-01-31T12:00:00.000Z',
        completed_at: '2026-01-31T12:00:00.040Z',
        request_id: '8c1f4ab0-6f5c-4a0e-9f0b-3d1b7a5f2c9e',
        actor_kind: 'session',
        actor_id: '9f1c2d3e-0000-4000-8000-000000000000',
        actor_name: 'ada@example.com',
        address: '203.0.113.7',
        action: 'webhooks.update',
        target_kind: 'webhook',
        target_id: '3f0c8a52-6f0e-4f43-9d6a-0b8f3f1c2a11',
        outcome: 'succeeded',
        error_code: null,
        before: { active: true },
        after: { active: false },
      },
    ],
  })
export type AuditLog = z.infer<typeof AuditLog>

const AUDIT_LOGS_PER_PAGE_MAX = 1_000
const Filter = (description: string) => z.string().min(1).max(500).optional().describe(description)

export const AuditLogListQuery = z
  .strictObject({
    actor_kind: ActorKind.optional().describe('Changes by an API key, by a session, or by an unknown actor'),
    actor_id: Filter('Changes by this API key or identity'),
    action: Filter('id of the endpoint, as `keys.rotate`'),
    target_kind: Filter('What was changed, as `api_key`'),
    target_id: Filter('id of what was changed'),
    outcome: Outcome.optional().describe('What became of the change'),
    request_id: Filter('X-Request-Id of the request that made the change'),
    from: Instant.optional().describe('Entries of this time and later, as 2030-01-31T12:00:00Z'),
    to: Instant.optional().describe('Entries before this time'),
    limit: WholeNumber.pipe(z.int().min(1).max(AUDIT_LOGS_PER_PAGE_MAX))
      .default(100)
      .describe('Entries per page; a page of large ones ends earlier'),
    cursor: z
      .string()
      .max(200)
      .optional()
      .describe('`next_cursor` of the page before, with the same filters'),
  })
  .refine(isForward, REVERSED)
export type AuditLogListQuery = z.infer<typeof AuditLogListQuery>

export const AuditLogList = z
  .object({
    data: z.array(AuditLog),
    next_cursor: z.string().nullable().describe('null: the list is complete'),
  })
  .meta({ id: 'AuditLogList' })
export type AuditLogList = z.infer<typeof AuditLogList>
