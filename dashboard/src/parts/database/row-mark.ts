/** What has just become of a row; a deleted one still stands where it was. */
export type RowMark = 'changed' | 'inserted' | 'deleted'
