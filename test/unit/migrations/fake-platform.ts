// A database that has some tables, as far as the findings on migrations ask one.

import type { PlatformDatabase } from '../../../src/db/database.ts'

interface Named {
  schema: string
  name: string
}

/** From `child` to `public.o`. */
const FOREIGN_KEYS = [{ name: 'child_r_fkey', columns: ['r'], other: 'public.o' }]

const DOMAINS = ['email', 'short']

/**
 * Has what `has` says, and two domains. Each is its own table, but the index `i`, which is on `t`; all have 8192
 * bytes and 3 rows.
 */
export function platformWith(has: (relation: Named) => boolean): Pick<PlatformDatabase, 'query'> {
  return {
    query: <Row>(_sql: string, params: readonly (string | null)[] = []) => {
      const wanted = JSON.parse(params[0] ?? '') as Named[]
      const rows = wanted.filter(has).map(({ schema, name }) => ({
        schema,
        name,
        table_schema: schema,
        table_name: name === 'i' ? 't' : name,
        size_bytes: 8_192,
        rows: 3,
        foreign_keys: name === 'child' ? FOREIGN_KEYS : null,
      }))
      const domains = DOMAINS.map(name => ({ schema: null, name }))
      return Promise.resolve([...rows, ...domains] as Row[])
    },
  }
}
