// Who does something, as the audit log writes it down. Made at the door, passed through, never read from a body.

/** The one who acts: an API key, a signed-in identity, or nobody in particular. */
export interface Actor {
  kind: 'api_key' | 'session' | 'anonymous'
  /** Id of the key or of the identity; null for anonymous. */
  id: string | null
  /** The key's name or the identity's e-mail address, to recognise it by when it is gone. */
  name: string | null
}

/** One request's part of an audit row. */
export interface Caller {
  actor: Actor
  /** Id of the route, as `oauth_clients.create`; the actor's kind says over which surface it was called. */
  action: string
  requestId: string
  /** The client's network address; null when the platform gives none. */
  address: string | null
}
