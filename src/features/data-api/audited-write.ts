// A write of rows with its row in the audit log: which table, which filters, and what was sent.

import { type AuditDeps, audited } from '../audit/audited.ts'
import type { Caller } from '../audit/caller.ts'
import { type Dialect, QUOIN_DIALECT } from './dialect.ts'
import { type DataApiDeps, type DataCall, openCall } from './run/data-session.ts'
import type { DataAnswer } from './verbs/data-answer.ts'

/** `insertRows`, `updateRows` or `deleteRows`. */
type Write = (deps: DataApiDeps, call: DataCall, dialect: Dialect) => Promise<DataAnswer>

/** JSON text of the filters, and bytes of the body, beyond which the audit log has their size alone. */
const SHOWN_BYTES_MAX = 8 * 1024

/**
 * Makes the write. The entry's target is `schema.table`; `after` has `filters` and `body` (or
 * `filters_bytes` and `body_bytes`), and `prefer`, since a dry run changes nothing. Throws as the write does.
 */
export async function auditedWrite(
  deps: DataApiDeps & AuditDeps,
  caller: Caller,
  call: DataCall,
  write: Write,
): Promise<DataAnswer> {
  const targetId = `${openCall(deps, call, 'table').schema}.${call.name}`
  return audited(deps, caller, { targetKind: 'table', targetId }, async () => {
    let body: Uint8Array | undefined
    const readBodyBytes = async () => {
      body = await call.readBodyBytes()
      return body
    }
    const result = await write(deps, { ...call, readBodyBytes }, QUOIN_DIALECT)
    return { result, after: { ...shownFilters(call), ...shownBody(call, body) } }
  })
}

function shownFilters({ search, headers }: DataCall): object {
  const byName = Map.groupBy(new URLSearchParams(search), ([name]) => name)
  const filters = Object.fromEntries(
    Array.from(byName, ([name, pairs]) => {
      const values = pairs.map(([, value]) => value)
      return [name, values.length === 1 ? values[0] : values]
    }),
  )
  const { length } = JSON.stringify(filters)
  const prefer = headers.get('prefer')
  return {
    ...(length > SHOWN_BYTES_MAX ? { filters_bytes: length } : { filters }),
    ...(prefer === null ? {} : { prefer: prefer.slice(0, SHOWN_BYTES_MAX) }),
  }
}

/** Only JSON is shown: in it secrets are known by their names, and taken out. */
function shownBody({ headers }: DataCall, body: Uint8Array | undefined): object {
  if (body === undefined || body.length === 0) return {}
  const size = { body_bytes: body.length }
  if (body.length > SHOWN_BYTES_MAX || !/json/i.test(headers.get('content-type') ?? 'json')) return size
  try {
    return { body: JSON.parse(new TextDecoder().decode(body), keepDigits) }
  } catch {
    // The write is made by now, and Postgres has read the body in its own way.
    return size
  }
}

/** Digits beyond which a number of JavaScript may be another one. */
const EXACT_DIGITS = 15

/** A long number as text: the log must not name another row than was meant. */
function keepDigits(_name: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source
  return typeof value === 'number' && source !== undefined && source.length > EXACT_DIGITS ? source : value
}
