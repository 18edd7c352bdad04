// The SQL on `quoin.usage`. Decides nothing.

import type { Statement } from '../../db/sql.ts'
import { type UsedMinute, usageRows } from './usage-row.ts'

export interface KeyUse {
  keyId: string
  /** Of the limiter that counts: it alone writes these rows. */
  keyHash: string
  minutes: readonly UsedMinute[]
}

/**
 * Writes whole minutes of one limiter, once each is over. A minute's number is final, so telling it twice changes
 * nothing: a limiter that lost the answer tells it again.
 */
export function usageStatement({ keyId, keyHash, minutes }: KeyUse): Statement {
  return {
    sql: `insert into quoin.usage as u (hour, key_id, key_hash, requests, total)
      select h.hour, k.id, $2::text, h.requests, (select sum(told) from unnest(h.requests) told)
        from json_to_recordset($3::json) as h(hour timestamptz, requests integer[])
        join quoin.api_keys k on k.id = $1::uuid
      on conflict (hour, key_id, key_hash) do update set (requests, total) = (
        select array_agg(greatest(known, told) order by place), sum(greatest(known, told))
          from unnest(u.requests, excluded.requests) with ordinality both_rows(known, told, place))`,
    params: [keyId, keyHash, JSON.stringify(usageRows(minutes))],
  }
}
