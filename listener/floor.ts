/**
 * Owns the position in the WAL up to which no chunk waits for a number: from there on they are looked for. Dead index entries of
 * numbered chunks stay as long as anything keeps Postgres from removing them, and reading past them at each look would cost more and more. Pure.
 *
 * Positions are taken before commits, so one below others that were seen may still appear. But a chunk's position is taken after
 * the writer's transaction got its number: of all chunks up to the highest position in a snapshot none is missing once every transaction has
 * ended whose number is below one that was drawn after that snapshot.
 */

export interface FloorLook {
  /** The oldest transaction under way in the look's snapshot. */
  readonly xmin: bigint
  /** A transaction number that was drawn after the snapshot, if one was asked for. */
  readonly mark: bigint | undefined
  /** The highest position that was numbered; undefined: nothing was. */
  readonly numberedUpTo: bigint | undefined
  /** From this position on there are chunks without a number, or may still come of what was staged; undefined: there are none. */
  readonly openFrom: bigint | undefined
}

export class Floor {
  #value = 0n
  #highest = 0n
  #pending: { readonly position: bigint; readonly mark: bigint } | undefined

  /** Chunks up to this position have their numbers, and no other will appear there. */
  get value(): bigint {
    return this.#value
  }

  /** True when the floor could rise later if the next look brought a mark. */
  get wantsMark(): boolean {
    return this.#pending === undefined && this.#highest > this.#value
  }

  /** Takes a look that numbered, from the floor up, what was visible to it. */
  raise({ xmin, mark, numberedUpTo, openFrom }: FloorLook): void {
    const pending = this.#pending
    if (
      pending !== undefined &&
      xmin >= pending.mark &&
      (openFrom === undefined || openFrom > pending.position)
    ) {
      this.#value = pending.position
      this.#pending = undefined
    }
    if (numberedUpTo !== undefined && numberedUpTo > this.#highest) this.#highest = numberedUpTo
    if (mark !== undefined && this.wantsMark) this.#pending = { position: this.#highest, mark }
  }
}
