// Exact filters, as the permission server has them. Texts are applied on Enter and on leaving their field.

import { Button, Input, Select } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { namespacesQuery, type TupleFilter } from '../../parts/tuples/queries.ts'

/** Stands for no filter: an empty value would look like a field that nobody has filled in. */
const ANY = '*'

export function TupleFilters({
  filter,
  onChange,
}: {
  filter: TupleFilter
  onChange: (changed: TupleFilter) => void
}) {
  const { data: known } = useQuery(namespacesQuery)
  const [object, setObject] = useState(filter.object ?? '')
  const [subject, setSubject] = useState(filter.subject ?? '')
  const namespaces = known?.data ?? []
  const relations = namespaces
    .filter(({ name }) => filter.namespace === undefined || name === filter.namespace)
    .flatMap(each => each.relations.map(({ name }) => name))
  const apply = () => {
    if (object === (filter.object ?? '') && subject === (filter.subject ?? '')) return
    onChange({ object: object || undefined, subject: subject.trim() || undefined })
  }
  return (
    <form
      className="flex flex-wrap items-center gap-3"
      aria-label="Filters"
      onSubmit={event => {
        event.preventDefault()
        apply()
      }}
    >
      <Select
        aria-label="Namespace"
        className="w-44"
        value={filter.namespace ?? ANY}
        onValueChange={value => onChange({ namespace: chosen(value), relation: undefined })}
        items={choices('Any namespace', [...namespaces.map(({ name }) => name), filter.namespace])}
      />
      <Input
        aria-label="Object"
        placeholder="Object"
        className="w-44 max-w-full"
        value={object}
        onChange={event => setObject(event.target.value)}
        onBlur={apply}
      />
      <Select
        aria-label="Relation"
        className="w-40"
        value={filter.relation ?? ANY}
        onValueChange={value => onChange({ relation: chosen(value) })}
        items={choices('Any relation', [...relations, filter.relation])}
      />
      <Input
        aria-label="Subject"
        placeholder="alice or Organization:acme#member"
        className="w-72 max-w-full"
        value={subject}
        onChange={event => setSubject(event.target.value)}
        onBlur={apply}
      />
      {Object.keys(filter).length > 0 && (
        <Button
          variant="ghost"
          onClick={() =>
            onChange({ namespace: undefined, object: undefined, relation: undefined, subject: undefined })
          }
        >
          Clear filters
        </Button>
      )}
      <button type="submit" className="sr-only" tabIndex={-1}>
        Filter
      </button>
    </form>
  )
}

function choices(any: string, names: readonly (string | undefined)[]) {
  const known = [...new Set(names.filter(name => name !== undefined))]
  return [{ value: ANY, label: any }, ...known.map(name => ({ value: name, label: name }))]
}

function chosen(value: string | null): string | undefined {
  return value === null || value === ANY ? undefined : value
}
