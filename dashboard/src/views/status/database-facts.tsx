import type { Schema } from '../../api/client.ts'
import { bytesText } from '../../parts/bytes.ts'
import { Fact, Facts, None } from '../../parts/facts.tsx'
import { State } from '../../parts/state.tsx'

const UNKNOWN = <None>not known</None>

export function DatabaseFacts({ of: database }: { of: Schema<'PlatformStatus'>['database'] }) {
  const { missing_migrations: missing, size_bytes: size } = database
  return (
    <Facts>
      <Fact label="State">
        <State tone={database.state === 'up' ? 'good' : 'bad'}>
          {database.state === 'up' ? `Answers, in ${database.latency_ms} ms` : 'Does not answer'}
        </State>
      </Fact>
      <Fact label="Callers’ data" help="DATA_DATABASE_URL">
        <State tone={database.data_state === 'up' ? 'good' : 'bad'}>
          {database.data_state === 'up' ? 'Can be reached' : 'Cannot be reached'}
        </State>
      </Fact>
      <Fact label="Postgres">{database.server_version ?? UNKNOWN}</Fact>
      <Fact label="Size">{size === null ? UNKNOWN : bytesText(size)}</Fact>
      <Fact label="Schemas served" help="DB_SCHEMAS">
        {database.schemas.join(', ')}
      </Fact>
      <Fact label="Tables and views in them">{database.tables?.toLocaleString('en') ?? UNKNOWN}</Fact>
      <Fact label="Migrations of Quoin’s own">
        {missing === null ? (
          UNKNOWN
        ) : missing.length === 0 ? (
          <State tone="good">All applied</State>
        ) : (
          <>
            <State tone="bad">{missing.length} missing</State>
            <ul className="mt-1 code-text">
              {missing.map(name => (
                <li key={name}>{name}</li>
              ))}
            </ul>
          </>
        )}
      </Fact>
    </Facts>
  )
}
