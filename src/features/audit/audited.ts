// Every change that must be accounted for goes through here. The row is written before the change is made, so that no
// change is ever without one: with the database down nothing happens. What became of it is added afterwards, once.

import type { PlatformDatabase } from '../../db/database.ts'
import { PostgresError } from '../../db/postgres-error.ts'
import { DomainError, isOutcomeUnknown } from '../../errors.ts'
import type { Caller } from './caller.ts'
import { withoutSecrets } from './redact.ts'

export interface AuditDeps {
  platform: Pick<PlatformDatabase, 'query'>
}

/** What is about to be done. Secrets are taken out of `before` here. */
export interface Change {
  targetKind: string
  /** Null when the target's id is only known afterwards. */
  targetId: string | null
  before?: unknown
}

/** What was done: the verb's own result, and what the audit row shows of it. */
export interface Done<Result> {
  result: Result
  targetId?: string
  after?: unknown
}

/**
 * Makes the change with an audit row around it: `pending` before, then `succeeded` with the state after, or `failed`
 * with the error's code. A row that stays `pending` is a change that nobody saw the end of; where an error says so
 * (`outcomeUnknown`), with its code. Throws what `perform` throws, and a database error before anything is done.
 */
export async function audited<Result>(
  deps: AuditDeps,
  caller: Caller,
  change: Change,
  perform: () => Promise<Done<Result>>,
): Promise<Result> {
  const id = await insertPending(deps, caller, change)
  let done: Done<Result>
  try {
    done = await perform()
  } catch (err) {
    const outcome = isOutcomeUnknown(err) ? 'pending' : 'failed'
    await complete(deps, id, { outcome, errorCode: codeOf(err) })
    throw err
  }
  await complete(deps, id, { outcome: 'succeeded', targetId: done.targetId, after: done.after })
  return done.result
}

/** The code that the caller is told. */
function codeOf(err: unknown): string {
  return err instanceof DomainError || err instanceof PostgresError ? err.code : 'internal_error'
}

const INSERT = `
  insert into quoin.audit_logs
    (request_id, actor_kind, actor_id, actor_name, address, action, target_kind, target_id, before)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb)
  returning id`

async function insertPending({ platform }: AuditDeps, caller: Caller, change: Change): Promise<string> {
  const { actor } = caller
  const rows = await platform.query<{ id: string }>(INSERT, [
    caller.requestId,
    actor.kind,
    actor.id,
    storable(actor.name),
    caller.address,
    caller.action,
    change.targetKind,
    storable(change.targetId),
    toJson(change.before),
  ])
  const [row] = rows
  if (row === undefined) throw new Error('an insert with returning answers its row')
  return row.id
}

interface Completion {
  outcome: 'succeeded' | 'failed' | 'pending'
  errorCode?: string
  targetId?: string | undefined
  after?: unknown
}

const COMPLETE = `
  update quoin.audit_logs
  set outcome = $2, error_code = $3, target_id = coalesce($4, target_id), after = $5::jsonb,
    completed_at = case when $2 <> 'pending' then clock_timestamp() end
  where id = $1::uuid and outcome = 'pending'
  returning id`

/**
 * Whatever was to be done is over by now: a row that cannot be completed is logged and stays pending, and the caller
 * gets the result.
 */
async function complete({ platform }: AuditDeps, id: string, completion: Completion): Promise<void> {
  try {
    await platform.query(COMPLETE, [
      id,
      completion.outcome,
      completion.errorCode ?? null,
      storable(completion.targetId ?? null),
      toJson(completion.after),
    ])
  } catch (err) {
    console.error(
      JSON.stringify({ level: 'error', code: 'audit_incomplete', audit_log: id, message: String(err) }),
    )
  }
}

/** Servers behind us store what Postgres cannot: NUL, and halves of surrogate pairs. A mark stands in its place. */
function storable(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll('\0', '\ufffd')
}

/** An escape in JSON that `JSON.stringify` wrote: of a character as above, or any other with what it escapes. */
const JSON_ESCAPE = /\\(?:(u0000|ud[89a-f][0-9a-f]{2})|.)/g

function toJson(value: unknown): string | null {
  if (value === undefined) return null
  const json = JSON.stringify(withoutSecrets(value))
  return json.replace(JSON_ESCAPE, (whole, unstorable) => (unstorable === undefined ? whole : '\ufffd'))
}
