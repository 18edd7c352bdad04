// What the catalog's queries are put together from. Pure.

import { TEXT_LENGTH_MAX } from './schemas.ts'
import { EXPRESSION_LENGTH_MAX } from './structure.ts'

/** A text up to the bound. */
export const cut = (text: string, lengthMax = TEXT_LENGTH_MAX): string => `left(${text}, ${lengthMax})`

export const expression = (text: string): string => cut(text, EXPRESSION_LENGTH_MAX)

export const listOf = (row: string, from: string, order: string): string =>
  `(select coalesce(json_agg(${row} order by ${order}), '[]') from ${from})`

/** Bytes of a JSON inside the answer of the database, which is JSON itself, and of all that come before it. */
export const bytesUpTo = (body: string, order: string): string =>
  `sum(octet_length(to_json(${body}::text)::text)) over (order by ${order})`

/** The first of a list, up to their bytes, and whether these are all. */
export const firstOf = (row: string, from: string, place: string, bytesMax: number): string =>
  `(select json_build_object(
      'rows', coalesce(json_agg(l.body order by l.place) filter (where l.bytes <= ${bytesMax}), '[]'),
      'whole', coalesce(max(l.bytes) <= ${bytesMax}, true))
    from (select l.*, ${bytesUpTo('l.body', 'l.place')} as bytes
      from (select ${row} as body, ${place} as place from ${from} offset 0) l) l)`
