// The advisor on a database of the test's own: what others make in the shared one would be found too.

import { Client } from 'pg'
import { inject } from 'vitest'
import { type GatewayOptions, startGateway } from '../../../sql-gateway/server.ts'
import { DataDatabase, PlatformDatabase } from '../../../src/db/database.ts'
import { SqlWire } from '../../../src/db/sql-wire.ts'
import { AdvisorRuns } from '../../../src/features/advisor/advisor-runs.ts'
import { readAdvice } from '../../../src/features/advisor/read-advice.ts'
import { Advice } from '../../../src/features/advisor/schemas.ts'
import { migrationDatabase } from '../../support/migrations.ts'

export type AdvisedDatabase = Awaited<ReturnType<typeof adviseDatabase>>

/** A fresh database with Quoin in it, behind a gateway of its own. */
export async function adviseDatabase(limits: GatewayOptions['limits'] = {}) {
  const database = await migrationDatabase()
  const dataUrl = new URL(inject('stack').data_database_url)
  dataUrl.pathname = new URL(database.url).pathname
  const gateway = await startGateway({ databaseUrls: [database.url, dataUrl.href], limits })
  const wireTo = (connectionString: string) => new SqlWire({ connectionString, gatewayUrl: gateway.url })
  const connect = async (url: URL) => {
    const client = new Client({ connectionString: url.href })
    await client.connect()
    return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
  }
  const platform = new PlatformDatabase(wireTo(database.url))
  const data = new DataDatabase(wireTo(dataUrl.href), { wipesPlans: true })
  return {
    run: (sql: string) => database.owner.query(sql),
    async runAsSuperuser(sql: string) {
      const url = new URL(inject('stack').superuser_url ?? '')
      url.pathname = new URL(database.url).pathname
      await using client = await connect(url)
      await client.query(sql)
    },
    /** A connection of its own, as the owner. */
    connect: () => connect(new URL(database.url)),
    /** What the advisor says of the schema at that time. */
    async advise(schema: string, now = () => new Date()): Promise<Advice> {
      const config = { dbSchemas: [schema], dbExtraSearchPath: [] }
      return Advice.parse(
        await readAdvice({ platform, data, config, now, advisorRuns: new AdvisorRuns(now) }, 'a-request'),
      )
    },
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await database[Symbol.asyncDispose]()
    },
  }
}
