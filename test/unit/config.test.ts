// The Worker's variables, where more than their form decides.

import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { ConfigError } from '../../src/lib/environment.ts'

const REQUIRED = { DATABASE_URL: 'postgres://a@b/c', DATA_DATABASE_URL: 'postgres://a@b/c' }

describe.each(['DB_SCHEMAS', 'DB_EXTRA_SEARCH_PATH'])('%s', name => {
  it.each(['quoin', 'pg_catalog', 'pg_temp', 'public, pg_toast', 'information_schema', '$user'])(
    'is refused with %s in it',
    value => {
      expect(() => parseConfig({ ...REQUIRED, [name]: value })).toThrow(
        new ConfigError(
          `Variables that are missing or wrong: ${name}: must name none of Postgres' own schemas, nor quoin`,
        ),
      )
    },
  )
})

it('schemas are separated by commas, and no extra ones are searched unless they are named', () => {
  const config = parseConfig({ ...REQUIRED, DB_SCHEMAS: 'public, Shop,quoins' })
  expect([config.dbSchemas, config.dbExtraSearchPath]).toEqual([['public', 'Shop', 'quoins'], []])
  const extra = parseConfig({ ...REQUIRED, DB_EXTRA_SEARCH_PATH: 'extensions , gis' })
  expect([extra.dbSchemas, extra.dbExtraSearchPath]).toEqual([['public'], ['extensions', 'gis']])
})
