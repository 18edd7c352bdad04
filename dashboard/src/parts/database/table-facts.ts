// What is said of a table in several views.

import type { Schema } from '../../api/schema.ts'

export const KINDS: Readonly<Record<Schema<'DatabaseTable'>['kind'], string>> = {
  table: 'Table',
  view: 'View',
  materialized_view: 'Materialized view',
  foreign_table: 'Foreign table',
  partitioned_table: 'Partitioned table',
}

export function tableHref(schema: string, name: string, search: Record<string, string> = {}): string {
  const query = new URLSearchParams(search).toString()
  const path = `/database/tables/${encodeURIComponent(schema)}/${encodeURIComponent(name)}`
  return query === '' ? path : `${path}?${query}`
}
