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
          `${name} must name none of Postgres' own schemas, nor quoin, nor storage and realtime, ` +
            'whose rows Quoin writes',
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

// PgBouncer hands the server's session to the next caller, with the temporary tables and settings of the last one.
it('the data connection is not Neon’s pooler, and the direct host is named', () => {
  const at = (host: string) => ({
    ...REQUIRED,
    DATA_DATABASE_URL: `postgres://a:secret@${host}/c?sslmode=require`,
  })
  expect(() => parseConfig(at('ep-x-1-pooler.eu.neon.tech'))).toThrow(
    new ConfigError(
      'DATA_DATABASE_URL must not go through a pooler that changes sessions; ' +
        'the direct host is ep-x-1.eu.neon.tech',
    ),
  )
  for (const host of ['ep-x-1.eu.neon.tech', 'ep-pooler-x.eu.neon.tech', 'localhost:5432'])
    expect(parseConfig(at(host)).dataDatabaseUrl).toContain(host)
  const owner = 'postgres://a:b@ep-x-pooler.eu.neon.tech/c'
  expect(parseConfig({ ...REQUIRED, DATABASE_URL: owner }).databaseUrl).toBe(owner)
})

it('each variable has the name of its words in camel case', () => {
  const { migrationStatementTimeoutMs, brandName } = parseConfig({
    ...REQUIRED,
    MIGRATION_STATEMENT_TIMEOUT_MS: '200',
    BRAND_NAME: 'Mine',
  })
  expect([migrationStatementTimeoutMs, brandName]).toEqual([200, 'Mine'])
})
