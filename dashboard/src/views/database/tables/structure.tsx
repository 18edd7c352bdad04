// How a table is made: its columns and keys, and who may use it.

import { Link } from '@cloudflare/kumo'
import { KeyIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { DataTable, type Column as ListColumn } from '../../../parts/data-table.tsx'
import { structureQuery } from '../../../parts/database/schema-query.ts'
import { KINDS, tableHref } from '../../../parts/database/table-facts.ts'
import { Fact, Facts, None } from '../../../parts/facts.tsx'
import { Section } from '../../../parts/page.tsx'
import { servedTable, shortType } from './facts-of-tables.ts'
import type { Column, Table } from './queries.ts'
import { NOT_SERVED } from './referring-rows.tsx'
import { StructureDetails } from './structure-details.tsx'

export function Structure({ of: table, tables }: { of: Table; tables: readonly Table[] }) {
  const { schema, name, primary_key: key, foreign_keys: foreignKeys } = table
  return (
    <>
      <Section title="Columns">
        <DataTable
          label={`Columns of ${name}`}
          columns={columnsFor(table)}
          rows={table.columns}
          rowKey={column => column.name}
        />
      </Section>
      <Section title="Keys">
        <Facts>
          <Fact label="Kind">{KINDS[table.kind]}</Fact>
          <Fact label="Primary key">
            {key.length === 0 ? (
              <None>none: without it rows cannot be changed here</None>
            ) : (
              <Code>{key.join(', ')}</Code>
            )}
          </Fact>
          <Fact label="Foreign keys" help="What its rows refer to">
            {foreignKeys.length === 0 && <None />}
            {foreignKeys.map(({ columns, references }) => (
              <div key={`${columns.join()} ${references.schema}.${references.table}`}>
                <Code>{columns.join(', ')}</Code> refers to <TableLink to={references} tables={tables} />{' '}
                <Code>({references.columns.join(', ')})</Code>
              </div>
            ))}
          </Fact>
          <Fact label="Referred to by">
            <Referring of={table} tables={tables} />
          </Fact>
        </Facts>
      </Section>
      <StructureDetails of={table} />
      <Link
        href={`/audit-log?${new URLSearchParams({ target_kind: 'table', target_id: `${schema}.${name}` })}`}
      >
        Its changes in the audit log
      </Link>
    </>
  )
}

function Referring({ of: { schema, name }, tables }: { of: Table; tables: readonly Table[] }) {
  const { data, isError } = useQuery(structureQuery(schema, name))
  if (isError) return 'could not be read'
  if (data === undefined) return '…'
  if (data.referenced_by.length === 0) return <None />
  return data.referenced_by.map(key => (
    <div key={`${key.schema}.${key.table} ${key.name}`}>
      <TableLink to={key} tables={tables} /> <Code>({key.columns.join(', ')})</Code>
    </div>
  ))
}

function TableLink({ to, tables }: { to: { schema: string; table: string }; tables: readonly Table[] }) {
  const name = `${to.schema}.${to.table}`
  if (servedTable(tables, to)) return <Link href={tableHref(to.schema, to.table)}>{name}</Link>
  return `${name} (${NOT_SERVED})`
}

function columnsFor({ primary_key: key }: Table): ListColumn<Column>[] {
  return [
    {
      id: 'name',
      head: 'Name',
      cell: ({ name }) => (
        <span className="inline-flex items-center gap-1.5 code-text">
          {name}
          {key.includes(name) && <KeyIcon aria-label="Primary key" />}
        </span>
      ),
      sortBy: ({ name }) => name,
    },
    {
      id: 'type',
      head: 'Type',
      cell: ({ type }) => <Code>{shortType(type)}</Code>,
      sortBy: ({ type }) => type,
    },
    {
      id: 'nullable',
      head: 'NULL',
      cell: ({ nullable }) => (nullable ? 'yes' : 'no'),
      isSecondary: true,
    },
    {
      id: 'default',
      head: 'Default',
      cell: column => {
        if (column.default !== null) return <Code>{column.default}</Code>
        if (column.computed_as !== null) return <Code>{column.computed_as}</Code>
        return column.generated ? 'set by Postgres' : '–'
      },
      isSecondary: true,
    },
    {
      id: 'comment',
      head: 'Comment',
      cell: ({ comment, enum_values: labels }) => (
        <>
          {comment} {labels !== null && `One of ${labels.join(', ')}.`}
        </>
      ),
      isSecondary: true,
    },
  ]
}

function Code({ children }: { children: React.ReactNode }) {
  return <code className="wrap-anywhere">{children}</code>
}
