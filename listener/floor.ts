/**
 * Owns the id up to which the outbox need not be read. Dead index entries of confirmed chunks stay there while anything
 * keeps Postgres from removing them. Reading past them at each look would cost more and more. Pure.
 *
 * Ids are given out before commits, so one below others that were seen may still appear. But a chunk gets its id after
 * its transaction got a number. So take the highest id of a snapshot, and a number that was drawn after that snapshot.
 * Once every transaction with a lower number has ended, no id up to that highest one is missing.
 */

export interface FloorLook {
  /** The oldest transaction under way in the look's snapshot. */
  readonly xmin: bigint
  /** A transaction number that was drawn after the snapshot, if one was asked for. */
  readonly mark: bigint | undefined
  /** Everything visible up to here is known now; undefined: everything there is. */
  readonly readUpTo: bigint | undefined
  /** Of chunks that wait or are unconfirmed. */
  readonly knownIds: readonly bigint[]
}

export class Floor {
  #value = 0n
  #settledUpTo = 0n
  #highestId = 0n
  #pending: { readonly id: bigint; readonly mark: bigint } | undefined

  /** Chunks up to this id are confirmed, and no other will appear there. */
  get value(): bigint {
    return this.#value
  }

  /** True when the floor could rise later if the next look brought a mark. */
  get wantsMark(): boolean {
    return this.#pending === undefined && this.#highestId > this.#settledUpTo
  }

  /** Takes a look that read, from the floor up, everything that was not known before. */
  raise({ xmin, mark, readUpTo, knownIds }: FloorLook): void {
    const pending = this.#pending
    if (pending !== undefined && xmin >= pending.mark && (readUpTo === undefined || readUpTo >= pending.id)) {
      this.#settledUpTo = pending.id
      this.#pending = undefined
    }
    for (const id of knownIds) if (id > this.#highestId) this.#highestId = id
    if (mark !== undefined && this.wantsMark) this.#pending = { id: this.#highestId, mark }
    let next = this.#settledUpTo
    if (readUpTo !== undefined && readUpTo < next) next = readUpTo
    for (const id of knownIds) if (id <= next) next = id - 1n
    if (next > this.#value) this.#value = next
  }
}
