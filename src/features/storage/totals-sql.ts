// How much is stored, for views of the whole deployment.

/** A JSON object of `buckets`, `objects` and `bytes`, counted now. A copy counts like any other file. */
export const STORAGE_TOTALS_SQL = `
  (select json_build_object('buckets', (select count(*) from storage.buckets), 'objects', count(*),
    'bytes', coalesce(sum((o.metadata ->> 'size')::bigint), 0)) from storage.objects o)`

export interface StorageTotals {
  buckets: number
  objects: number
  bytes: number
}
