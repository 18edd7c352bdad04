// What our SQL gateway says of a batch that failed, beside the fields that Neon's wire has. The Worker acts on these
// fields, and on no words.

/**
 * Whether the work of a batch is known to stay, known to be gone, or nobody saw the end of it. It is that of the
 * transaction around the batch: SQL that ends a transaction itself is not looked through.
 */
export type BatchOutcome = 'committed' | 'undone' | 'unknown'

export interface BatchFailure {
  readonly outcome: BatchOutcome
  /** Only of an answer that is too large: the most bytes that were allowed. */
  readonly bytesMax?: number | undefined
}
