// What becomes of tokens: introspection, revocation, flushing.

import { flushEndedTokens } from '../features/oauth/tokens/flush-tokens.ts'
import { introspectOwnToken } from '../features/oauth/tokens/introspect-token.ts'
import { revokeToken } from '../features/oauth/tokens/revoke-token.ts'
import { Flush, Introspection, Revocation, TokenIn } from '../features/oauth/tokens/schemas.ts'
import { defineRoute } from '../http/route.ts'

export const tokenRoutes = [
  defineRoute({
    id: 'tokens.introspect',
    method: 'post',
    mounts: { '/api/oauthsrv/introspect': 'session' },
    summary: 'Say what a token is good for',
    description:
      'A token that is expired, revoked, garbage or of a client that is not ours is `{"active": false}`. So is a JWT ' +
      'that was signed before the newest key of `hydra.jwt.access-token`, or before the client got opaque tokens. ' +
      'The server reads back nothing else, while whoever verifies with the public keys takes that JWT until it ends.',
    body: TokenIn,
    example: { token: 'ory_at_...' },
    response: Introspection,
    unaudited: 'no_change',
    handle: ({ deps, body }) => introspectOwnToken(deps, body.token),
  }),
  defineRoute({
    id: 'tokens.revoke',
    method: 'post',
    mounts: { '/api/oauthsrv/revoke': 'session' },
    summary: 'Revoke an access or refresh token',
    description:
      'As narrowly as the OAuth2 server allows; the answer says what ended with the token. A token that is not ' +
      'active is no error. JWT access tokens that somebody verifies without asking, as /v1/db does, stay good until ' +
      'they expire; there an opaque token may be taken for ten seconds more. A JWT that the server calls inactive ' +
      'and that its public keys verify, as after a rotation, is revoked by its consent or by its person and client: ' +
      'its refresh token ends with it. An expired one is not.',
    body: TokenIn,
    example: { token: 'ory_at_...' },
    response: Revocation,
    handle: ({ deps, body, caller }) => revokeToken(deps, body.token, caller),
  }),
  defineRoute({
    id: 'tokens.flush',
    method: 'post',
    mounts: { '/api/oauthsrv/flush': 'admin' },
    summary: 'Delete expired and inactive tokens of all clients',
    description:
      'In the database of the OAuth2 server (OAUTH_DATABASE_URL) or, without it, through the server, if it can: 501 ' +
      '`not_supported` where not. A rotated-out refresh token stays as long as its grant has a current one: its ' +
      'reuse is what tells a theft. In batches, for at most 20 seconds: `complete` says whether there are more.',
    response: Flush,
    handle: ({ deps, caller }) => flushEndedTokens(deps, caller),
  }),
]
