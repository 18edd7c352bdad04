import { CopyText } from '../../../parts/copy-text.tsx'
import { Fact, Facts } from '../../../parts/facts.tsx'
import { Section } from '../../../parts/page.tsx'
import type { MigrationStatus } from './queries.ts'

/** Where the books of migrations are kept, Quoin's and those of other tools in the same database. */
export function FrameworkFacts({ of: status }: { of: MigrationStatus }) {
  const { framework, tracking_table: table, detected_tables: detected } = status
  const others = detected.filter(other => `${other.schema}.${other.table}` !== table)
  return (
    <Section title="Tracking">
      <Facts>
        <Fact label="Framework">{framework}</Fact>
        <Fact label="Tracking table">
          <CopyText value={table} whole />
        </Fact>
        {others.length > 0 && (
          <Fact label="Of other tools" help="Quoin neither reads nor changes them">
            <ul className="flex flex-col gap-1">
              {others.map(({ schema, table: name, framework: tool }) => (
                <li key={`${schema}.${name}`}>
                  <code>{`${schema}.${name}`}</code>
                  <span className="ml-3 text-kumo-subtle">{tool}</span>
                </li>
              ))}
            </ul>
          </Fact>
        )}
      </Facts>
    </Section>
  )
}
