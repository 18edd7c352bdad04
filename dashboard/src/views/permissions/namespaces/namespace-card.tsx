// A namespace in words: who may have each relation, how many do, and what each permit follows from.

import { LayerCard, Link, Table } from '@cloudflare/kumo'
import { addressOf } from '../../../app/address.ts'
import { None } from '../../../parts/facts.tsx'
import { State } from '../../../parts/state.tsx'
import type { Namespace } from '../../../parts/tuples/declared-names.ts'
import { typeWords } from '../../../parts/tuples/words.ts'

export function NamespaceCard({ of: namespace }: { of: Namespace }) {
  const { name, relations, rules, in_file: inFile, on_server: onServer, counted_all: isAll } = namespace
  return (
    <LayerCard className="mb-6 flex break-inside-avoid flex-col p-0">
      <header className="flex flex-wrap items-center gap-3 px-4 py-3">
        <h2 className="min-w-0 flex-1 font-semibold wrap-anywhere">{name}</h2>
        {!inFile && <State tone="attention">not in the file</State>}
        {!onServer && <State tone="bad">not on the server</State>}
        <Link href={addressOf('/permissions', { namespace: name })}>Tuples</Link>
        <Link href={addressOf('/permissions/roles', { namespace: name })}>Roles</Link>
      </header>
      {relations.length === 0 ? (
        <p className="border-t border-kumo-hairline px-4 py-3 text-kumo-subtle">
          No relations of its own: it names who others have relations with.
        </p>
      ) : (
        <div className="overflow-x-auto border-t border-kumo-hairline">
          <Table className="[&_td]:py-2 [&_th]:py-2">
            <Table.Header>
              <Table.Row>
                <Table.Head>Relation</Table.Head>
                <Table.Head>Who may have it</Table.Head>
                <Table.Head className="text-right whitespace-nowrap">Held by</Table.Head>
              </Table.Row>
            </Table.Header>
            <Table.Body>
              {relations.map(relation => (
                <Table.Row key={relation.name}>
                  <Table.Cell className="font-medium">{relation.name}</Table.Cell>
                  <Table.Cell>
                    {relation.declared ? (
                      relation.types.map(typeWords).join(', or ') || <None />
                    ) : (
                      <State tone="attention">stored, but not in the file: checks that meet it fail</State>
                    )}
                  </Table.Cell>
                  <Table.Cell className="text-right tabular-nums">
                    <Link
                      variant="plain"
                      className="hover:underline"
                      href={addressOf('/permissions', { namespace: name, relation: relation.name })}
                    >
                      {relation.subjects.toLocaleString('en')}
                      {isAll ? '' : ' or more'}
                    </Link>
                  </Table.Cell>
                </Table.Row>
              ))}
            </Table.Body>
          </Table>
        </div>
      )}
      {rules.length > 0 && (
        <dl
          className="divide-y divide-kumo-hairline border-t border-kumo-hairline"
          aria-label={`Permits of ${name}`}
        >
          {rules.map(({ permit, follows_from: rule }) => (
            <div key={permit} className="flex flex-wrap gap-x-2 px-4 py-2">
              <dt>
                <span className="text-kumo-subtle">May</span> <span className="font-medium">{permit}</span>
                <span className="text-kumo-subtle">:</span>
              </dt>
              <dd className="min-w-0 wrap-anywhere">whoever has {rule}</dd>
            </div>
          ))}
        </dl>
      )}
    </LayerCard>
  )
}
