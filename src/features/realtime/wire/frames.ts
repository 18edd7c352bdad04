// Frames of Phoenix, versions 1.0.0 and 2.0.0.

/** What a broadcast carries: JSON as it was sent, or bytes. */
export type BroadcastPayload =
  | { readonly encoding: 'json'; readonly json: string }
  | { readonly encoding: 'binary'; readonly bytes: Uint8Array }
