// What a table is, and a row of it. Apart from the queries: whoever only computes needs no client of the API.

import type { Schema } from '../../../api/schema.ts'

export type Table = Schema<'DatabaseTable'>
export type Column = Schema<'TableColumn'>
/** Values as Postgres prints them (`selectOf`). */
export type Row = Readonly<Record<string, string | null>>
