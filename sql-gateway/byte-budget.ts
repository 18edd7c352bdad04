/**
 * Owns how many bytes of bodies and answers the gateway holds at a time, over all requests and for each caller.
 * An answer counts until its caller has taken all of it. Pure: counting only.
 */
import { gatewayError, type SqlError } from './errors.ts'
import { type Caller, partsOf, Shares } from './shares.ts'

export class ByteBudget {
  readonly #bytesMax: number
  readonly #shares: Shares
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
    this.#shares = new Shares(bytesMax)
  }

  /** Opens one request's account. */
  open(caller: Caller | undefined): ByteAccount {
    let held = 0
    let isClosed = false
    return {
      take: bytes => {
        if (isClosed) return undefined
        if (this.#bytes + bytes > this.#bytesMax) return allTaken(this.#bytesMax)
        if (!this.#shares.allows(caller, bytes)) return shareTaken(partsOf(this.#bytesMax).caller)
        this.#add(caller, bytes)
        held += bytes
        return undefined
      },
      close: () => {
        if (!isClosed) this.#add(caller, -held)
        isClosed = true
      },
    }
  }

  #add(caller: Caller | undefined, bytes: number): void {
    this.#bytes += bytes
    this.#shares.take(caller, bytes)
  }
}

/** The bytes that one request holds. */
export interface ByteAccount {
  /** Adds bytes; answers why not when there is no room for them. Once it is closed nothing counts any more. */
  take(bytes: number): SqlError | undefined
  /** Gives all of them back. */
  close(): void
}

function allTaken(bytesMax: number): SqlError {
  return gatewayError('53300', `the gateway holds ${bytesMax} bytes of bodies and answers, and takes no more`)
}

function shareTaken(bytesMax: number): SqlError {
  return gatewayError('53400', `bodies and answers of this caller, or its key, are over ${bytesMax} bytes`, {
    hint: 'Read answers to their end before you ask for more, or ask for less at a time.',
  })
}
