// How much is stored, for views of the whole deployment.

/** Bytes of the rows `o`; what the owner's SQL has put there and is no size counts as nothing. */
export const BYTES_SQL = `coalesce(sum(case when jsonb_typeof(o.metadata -> 'size') = 'number'
  then trunc((o.metadata ->> 'size')::numeric) end), 0)`

/** A JSON object of `buckets`, `objects` and `bytes`, counted now. A copy counts like any other file. */
export const STORAGE_TOTALS_SQL = `
  (select json_build_object('buckets', (select count(*) from storage.buckets), 'objects', count(*),
    'bytes', ${BYTES_SQL}) from storage.objects o)`

export interface StorageTotals {
  buckets: number
  objects: number
  bytes: number
}
