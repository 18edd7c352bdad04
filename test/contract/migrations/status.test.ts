// `GET /v1/status` of a database that lacks some of Quoin's own migrations.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PROJECT_DIR } from '../../../cli/support/project.ts'
import { startGateway } from '../../../sql-gateway/server.ts'
import { PlatformDatabase } from '../../../src/db/database.ts'
import { SqlWire } from '../../../src/db/sql-wire.ts'
import { migrationDatabase } from '../../support/migrations.ts'
import { platformStatusOf } from '../../support/platform-status.ts'

const NAMES = readdirSync(join(PROJECT_DIR, 'migrations/platform')).map(name => name.replace('.cjs', ''))

it('names what is missing, and the command that brings it', async () => {
  await using database = await migrationDatabase()
  const gateway = await startGateway({ databaseUrls: [database.url] })
  try {
    const wire = new SqlWire({ connectionString: database.url, gatewayUrl: gateway.url })
    const status = () => platformStatusOf(new PlatformDatabase(wire), NAMES)
    expect(await status()).toMatchObject({ status: 'ok', database: { missing_migrations: [] } })
    await database.owner.query("delete from quoin.platform_migrations where name ~ '^000[78]'")
    expect(await status()).toMatchObject({
      status: 'degraded',
      database: { missing_migrations: ['0007_create-leases', '0008_create-migration-hashes'] },
      problems: [
        expect.stringMatching(
          /^The database lacks Quoin’s own 0007_create-leases, 0008_.* npm run migrate -- --pl/,
        ),
      ],
    })
    await database.owner.query('drop table quoin.platform_migrations')
    expect(await status()).toMatchObject({ status: 'degraded', database: { missing_migrations: null } })
  } finally {
    await gateway.close()
  }
})
