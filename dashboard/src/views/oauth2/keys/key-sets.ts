// The sets that the OAuth2 server signs with. All others belong to whoever made them.

export interface KeySet {
  id: string
  label: string
  /** What it signs, in the middle of a sentence. */
  signs: string
  /** What a new key changes at once: of its own JWTs the server, as Hydra, reads only what the newest key signed. */
  atOnce: string
}

export const SERVER_SETS: readonly [KeySet, KeySet] = [
  {
    id: 'hydra.openid.id-token',
    label: 'ID tokens',
    signs: 'ID tokens and logout tokens',
    atOnce:
      'The server refuses ID tokens from before as hints of a logout: people then get to a page that offers to sign ' +
      'out without one, and not back to the application. Sign-ins and sessions go on. ID tokens that are ' +
      'refreshed for a sign-in from before name the old key: libraries that go by the name refuse them.',
  },
  {
    id: 'hydra.jwt.access-token',
    label: 'JWT access tokens',
    signs: 'access tokens that are JWTs',
    atOnce:
      'Introspection and userinfo refuse JWTs from before; whoever verifies with the public keys takes them. ' +
      'Refresh tokens go on, and opaque tokens too. JWTs that are refreshed for a sign-in from before name the old ' +
      'key: Quoin takes them, libraries that go by the name refuse them.',
  },
]

export const serverSet = (id: string): KeySet | undefined => SERVER_SETS.find(set => set.id === id)
