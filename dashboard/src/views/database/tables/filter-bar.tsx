// What rows are shown: the filters of the address, each of which can be taken away, and one more.

import { Button, cn, Input, Select } from '@cloudflare/kumo'
import { FunnelIcon, XIcon } from '@phosphor-icons/react'
import { useState } from 'react'
import type { Column } from './queries.ts'
import { columnOf, type Filter, parameterOf } from './row-query.ts'

/** Operators of the API that are offered; in an address all of them work. */
const OPERATORS: Readonly<Record<string, string>> = {
  eq: '=',
  neq: '≠',
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
  ilike: 'is like (* is anything)',
  in: 'is one of (a,b)',
  cs: 'contains',
  'is.null': 'is NULL',
  'is.not_null': 'is not NULL',
}

interface FilterDraft {
  column: string
  operator: string
  value: string
}

export function FilterBar({
  columns,
  filters,
  onChange,
}: {
  columns: readonly Column[]
  filters: readonly Filter[]
  onChange: (filters: readonly Filter[]) => void
}) {
  const first = columns[0]?.name ?? ''
  const [draft, setDraft] = useState<FilterDraft>({ column: first, operator: 'eq', value: '' })
  const edit = (changed: Partial<FilterDraft>) => setDraft({ ...draft, ...changed })
  const needsValue = !draft.operator.startsWith('is.')
  const add = (event: React.FormEvent) => {
    event.preventDefault()
    onChange([...filters, filterOf(draft)])
    edit({ value: '' })
  }
  return (
    <div className="flex flex-col gap-3">
      <form onSubmit={add} className="flex flex-wrap items-center gap-2">
        <Select
          aria-label="Column"
          className="w-44 max-w-full"
          value={draft.column}
          onValueChange={column => edit({ column: String(column) })}
          items={Object.fromEntries(columns.map(({ name }) => [name, name]))}
        />
        <Select
          aria-label="Operator"
          className="w-32"
          value={draft.operator}
          onValueChange={operator => edit({ operator: String(operator) })}
          items={OPERATORS}
        />
        {needsValue && (
          <Input
            aria-label="Value"
            placeholder="Value"
            value={draft.value}
            onChange={event => edit({ value: event.target.value })}
            className="w-48 max-w-full"
          />
        )}
        <Button type="submit" icon={FunnelIcon}>
          Add filter
        </Button>
      </form>
      {filters.length > 0 && (
        <ul aria-label="Filters" className="flex flex-wrap gap-2">
          {filters.map((filter, i) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: the same filter may be there twice
              key={i}
              className={cn(
                'inline-flex max-w-full items-center gap-1 rounded-md py-0.5 pr-1 pl-2.5',
                'border border-kumo-line bg-kumo-elevated',
              )}
            >
              <span className="truncate code-text">{wordsOf(filter)}</span>
              <Button
                variant="ghost"
                size="xs"
                shape="square"
                icon={XIcon}
                aria-label={`Remove the filter ${wordsOf(filter)}`}
                onClick={() => onChange(filters.filter(other => other !== filter))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function filterOf({ column, operator, value }: FilterDraft): Filter {
  const parameter = parameterOf(column)
  if (operator.startsWith('is.')) return { parameter, value: operator }
  return { parameter, value: operator === 'in' ? `in.(${value})` : `${operator}.${value}` }
}

/** As people read it, where it is simple; else as it stands in the address. */
function wordsOf({ parameter, value }: Filter): string {
  const name = columnOf(parameter)
  if (value === 'is.null') return `${name} is NULL`
  if (value === 'is.not_null') return `${name} is not NULL`
  const [, operator = '', operand = ''] = /^(eq|neq|gte?|lte?)\.(.*)$/s.exec(value) ?? []
  const sign = OPERATORS[operator]
  return sign === undefined ? `${name} ${value}` : `${name} ${sign} ${operand}`
}
