// Puts a long text together out of many short ones. Pure.

/** So many pieces are joined at a time; few enough that they die young. */
const PIECES_MAX = 4_096

/** Joins pieces as they come: `+=` would keep a node in memory for every piece until the text is read. */
export class TextBuilder {
  readonly #joined: string[] = []
  #pieces: string[] = []
  #length = 0

  /** Characters so far. */
  get length(): number {
    return this.#length
  }

  add(piece: string): void {
    this.#length += piece.length
    if (this.#pieces.push(piece) < PIECES_MAX) return
    this.#joined.push(this.#pieces.join(''))
    this.#pieces = []
  }

  toString(): string {
    return this.#joined.join('') + this.#pieces.join('')
  }
}
