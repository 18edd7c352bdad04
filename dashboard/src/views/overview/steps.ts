// Which of the first steps are done, read from what the server has. Pure. What `npm start` brings (local/seed.ts) is
// there to look at: nobody has taken a step by it.

import type { Schema } from '../../api/schema.ts'

export interface StepFacts {
  tables: readonly { schema: string; name: string }[]
  keys: readonly Pick<Schema<'ApiKey'>, 'name' | 'last_used_at'>[]
  clients: number
  webhooks: number
  tuples: readonly { object: string }[]
}

export type StepName = 'table' | 'key' | 'client' | 'webhook' | 'permission'

const DEMONSTRATION_TABLES = new Set(['todos', 'pgmigrations'])
/** With this key the local stack itself looks whether it is ready. */
const STACK_KEY = 'local stack, service_role'
const DEMONSTRATION_OBJECTS = new Set(['acme', 'apollo', 'lunar-module'])
const DEMONSTRATION_TUPLES = 6
/** So many tuples tell whether somebody has written one. */
export const TUPLES_ASKED = DEMONSTRATION_TUPLES + 1

export function stepsDone(facts: StepFacts): Record<StepName, boolean> {
  return {
    table: facts.tables.some(({ name }) => !DEMONSTRATION_TABLES.has(name)),
    key: facts.keys.some(({ name, last_used_at: usedAt }) => usedAt !== null && name !== STACK_KEY),
    client: facts.clients > 0,
    webhook: facts.webhooks > 0,
    permission:
      facts.tuples.length > DEMONSTRATION_TUPLES ||
      facts.tuples.some(({ object }) => !DEMONSTRATION_OBJECTS.has(object)),
  }
}
