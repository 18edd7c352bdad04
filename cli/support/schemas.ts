// Lists of schemas among the variables, as the Worker reads them.

import { Variables } from '../../src/config.ts'

export function readSchemas(name: 'DB_SCHEMAS' | 'DB_EXTRA_SEARCH_PATH'): readonly string[] {
  const { data, error } = Variables.shape[name].safeParse(process.env[name] || undefined)
  if (error) throw new Error(`${name} ${error.issues.map(({ message }) => message).join('; ')}`)
  return data
}
