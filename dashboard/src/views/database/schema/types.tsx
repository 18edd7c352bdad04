// Types that a schema has of its own: enums, domains and composite types.

import type { Schema } from '../../../api/client.ts'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { Section } from '../../../parts/page.tsx'

interface OwnType {
  name: string
  kind: 'Enum' | 'Domain' | 'Composite type'
  text: string
  comment: string | null
}

/** Those whose name has the text. */
export function Types({ of: schema, text }: { of: Schema<'DatabaseSchema'>; text: string }) {
  const types = typesOf(schema).filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
  if (types.length === 0) return null
  return (
    <Section title="Types" lead="What a column may be declared as, beside what Postgres has by itself.">
      <DataTable
        label="Types"
        columns={COLUMNS}
        rows={types}
        rowKey={({ kind, name }) => `${kind} ${name}`}
      />
    </Section>
  )
}

function typesOf({ enums, domains, composite_types: composites }: Schema<'DatabaseSchema'>): OwnType[] {
  const named = ({ schema, name, comment }: { schema: string; name: string; comment: string | null }) => ({
    name: `${schema}.${name}`,
    comment,
  })
  return [
    ...enums.map(each => ({
      ...named(each),
      kind: 'Enum' as const,
      text: each.values?.join(', ') ?? 'more labels than are listed',
    })),
    ...domains.map(each => ({
      ...named(each),
      kind: 'Domain' as const,
      text: [
        each.type,
        !each.nullable && 'not null',
        each.default !== null && `default ${each.default}`,
        ...each.checks.map(({ expression }) => `check ${expression}`),
      ]
        .filter(Boolean)
        .join(' '),
    })),
    ...composites.map(each => ({
      ...named(each),
      kind: 'Composite type' as const,
      text: each.attributes.map(({ name, type }) => `${name} ${type}`).join(', '),
    })),
  ]
}

const COLUMNS: Column<OwnType>[] = [
  {
    id: 'name',
    head: 'Name',
    cell: ({ name }) => <span className="wrap-anywhere">{name}</span>,
    sortBy: ({ name }) => name,
  },
  { id: 'kind', head: 'Kind', cell: ({ kind }) => kind, sortBy: ({ kind }) => kind, isSecondary: true },
  { id: 'text', head: 'Made of', cell: ({ text }) => <code className="wrap-anywhere">{text}</code> },
  { id: 'comment', head: 'Comment', cell: ({ comment }) => comment, isSecondary: true },
]
