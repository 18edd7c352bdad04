// The SQL on `quoin.usage`. Decides nothing.

import type { Statement } from '../../db/sql.ts'
import { type UsedMinute, usageRows } from './usage-row.ts'

export interface KeyUse {
  keyId: string
  /** Of the limiter that counts: it alone writes these rows. */
  keyHash: string
  minutes: readonly UsedMinute[]
  /** All requests since the limiter exists, these minutes among them. */
  total: number
}

/**
 * Writes whole minutes of one limiter, once each is over. A minute's number is final, so telling it twice changes
 * nothing: a limiter that lost the answer tells it again.
 */
export function usageStatements({ keyId, keyHash, minutes, total }: KeyUse): Statement[] {
  const ofMinutes = {
    sql: `insert into quoin.usage as u (hour, key_id, key_hash, requests, total)
      select h.hour, k.id, $2::text, h.requests, (select sum(told) from unnest(h.requests) told)
        from json_to_recordset($3::json) as h(hour timestamptz, requests integer[])
        join quoin.api_keys k on k.id = $1::uuid
      on conflict (hour, key_id, key_hash) do update set (requests, total) = (
        select array_agg(greatest(known, told) order by place), sum(greatest(known, told))
          from unnest(u.requests, excluded.requests) with ordinality both_rows(known, told, place))`,
    params: [keyId, keyHash, JSON.stringify(usageRows(minutes))],
  }
  const inAll = {
    sql: `insert into quoin.usage_totals as t (key_id, key_hash, total)
      select k.id, $2::text, $3::bigint from quoin.api_keys k where k.id = $1::uuid
      on conflict (key_id, key_hash) do update set total = greatest(t.total, excluded.total)`,
    params: [keyId, keyHash, String(total)],
  }
  return [ofMinutes, inAll]
}
