// Which rows of how many are on the page, and the way to the next.

import { Button, Select } from '@cloudflare/kumo'
import { CaretLeftIcon, CaretRightIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { COUNTED_MAX, countQuery, type Table } from './queries.ts'
import { type Filter, LIMIT_DEFAULT, type QuerySearch } from './row-query.ts'

const LIMITS = { 100: '100 rows', 1000: '1,000 rows', 10000: '10,000 rows' }

export function Paging({
  table,
  filters,
  search,
  shown,
  onChange,
}: {
  table: Table
  filters: readonly Filter[]
  search: QuerySearch
  shown: number
  onChange: (changed: { limit?: number | undefined; offset?: number | undefined }) => void
}) {
  const [isExact, setExact] = useState(false)
  const { data: total = null } = useQuery(countQuery(table, filters, isExact ? 'exact' : 'estimated'))
  const { limit = LIMIT_DEFAULT, offset = 0 } = search
  const isEstimate = !isExact && total !== null && total > COUNTED_MAX
  const go = (to: number) => onChange({ offset: to <= 0 ? undefined : to })
  return (
    <nav aria-label="Pages" className="ml-auto flex flex-wrap items-center gap-2">
      <span role="status" className="text-kumo-subtle tabular-nums">
        {shown === 0 ? 'No rows' : `${count(offset + 1)}–${count(offset + shown)}`}
        {total !== null && ` of ${isEstimate ? 'about ' : ''}${count(total)}`}
      </span>
      {isEstimate && (
        <Button size="sm" variant="ghost" onClick={() => setExact(true)}>
          Count exactly
        </Button>
      )}
      <Select
        aria-label="Rows on a page"
        size="sm"
        className="w-32"
        value={String(limit)}
        onValueChange={value => onChange({ limit: Number(value), offset: undefined })}
        items={{ [limit]: `${count(limit)} rows`, ...LIMITS }}
      />
      <Button
        size="sm"
        shape="square"
        icon={CaretLeftIcon}
        aria-label="Previous page"
        disabled={offset === 0}
        onClick={() => go(offset - limit)}
      />
      <Button
        size="sm"
        shape="square"
        icon={CaretRightIcon}
        aria-label="Next page"
        disabled={shown < limit}
        onClick={() => go(offset + limit)}
      />
    </nav>
  )
}

function count(n: number): string {
  return n.toLocaleString('en')
}
