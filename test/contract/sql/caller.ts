// Calls /v1/sql and /v1/sql/transaction as an application does, with a key of its own that no other test uses up.

import { inject } from 'vitest'

const stack = inject('stack')

/** An answer's status and its JSON. Tests read fields of it; what is missing is undefined. */
export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tests are what says which shape the JSON has.
  body: any
  text: string
}

export interface SqlCaller {
  sql(sql: string, params?: unknown[], more?: object): Promise<Answer>
  transaction(statements: (string | { sql: string; params?: unknown[] })[], more?: object): Promise<Answer>
  post(path: string, body: string): Promise<Answer>
}

/** A caller with a fresh key of the role. */
export async function makeSqlCaller(role: 'anon' | 'service_role' = 'service_role'): Promise<SqlCaller> {
  const key = { name: 'contract tests of /v1/sql', role, rate_limit_per_minute: 100_000 }
  const { body } = await post('/v1/keys', JSON.stringify(key), stack.service_role_key)
  const send = (path: string, text: string) => post(path, text, body.key)
  return {
    sql: (sql, params, more) => send('/v1/sql', JSON.stringify({ sql, params, ...more })),
    transaction(statements, more) {
      const list = statements.map(item => (typeof item === 'string' ? { sql: item } : item))
      return send('/v1/sql/transaction', JSON.stringify({ statements: list, ...more }))
    },
    post: send,
  }
}

async function post(path: string, body: string, apikey: string): Promise<Answer> {
  const response = await fetch(stack.base_url + path, {
    method: 'POST',
    headers: { apikey, 'content-type': 'application/json' },
    body,
  })
  const text = await response.text()
  return { status: response.status, body: JSON.parse(text), text }
}

let count = 0

/** A name that no other test of this run, and no earlier run, has used. */
export function freshName(prefix: string): string {
  return `${prefix}_${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 8)}_${count++}`
}
