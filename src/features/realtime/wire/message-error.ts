/** Why a message of a client is not done. Its text goes to the client as `reason`: `Code: what, where, what to do`. */
export class MessageError extends Error {
  constructor(code: string, text: string) {
    super(`${code}: ${text}`)
  }
}
