// The admin API of key sets (`/admin/keys`). Answers have private parts, as Hydra's have: the admin port is for
// trusted callers alone.

import { decodeObject, text } from '../../service/go-json.ts'
import type { ServiceApp } from '../../service/listen.ts'
import type { OAuthServerContext, RequestContext } from '../context.ts'
import { jsonAnswer, noContent } from '../wire/answers.ts'
import { escapeSegment } from '../wire/go-url.ts'
import { HydraError, noSuchRow } from '../wire/hydra-error.ts'
import { readBody } from '../wire/request-json.ts'
import { parseJwk, parseJwkSet } from './jwk-parsing.ts'
import type { NewKey } from './key-store.ts'

const SET = '/admin/keys/:set'
const KEY = '/admin/keys/:set/:key'

export function addKeyRoutes(app: ServiceApp, { keys, addresses }: OAuthServerContext): void {
  const set = (c: RequestContext) => c.req.param('set') ?? ''
  const kid = (c: RequestContext) => c.req.param('key') ?? ''
  app.get(SET, async c => {
    const found = await keys.keysOf(set(c))
    if (found.length === 0) throw new HydraError(404, 'Not Found', 'Unable to locate the requested resource')
    return jsonAnswer(c, { keys: found })
  })
  app.get(KEY, async c => {
    const found = await keys.key(set(c), kid(c))
    if (found === undefined) throw noSuchRow()
    return jsonAnswer(c, { keys: [found] })
  })
  app.post(SET, async c => {
    const made = await keys.generate(set(c), readBody(await c.req.text(), decodeNewKey))
    const location = `${addresses.public}/keys/${escapeSegment(set(c))}`
    return jsonAnswer(c, { keys: [made] }, 201, { location })
  })
  app.put(SET, async c => {
    const jwks = readBody(await c.req.text(), parseJwkSet)?.keys ?? null
    await keys.putSet(set(c), jwks ?? [])
    return jsonAnswer(c, { keys: jwks })
  })
  // The kid of the body counts, whatever the path says.
  app.put(KEY, async c => {
    const jwk = readBody(await c.req.text(), parseJwk)
    await keys.putKey(set(c), jwk)
    return jsonAnswer(c, jwk)
  })
  app.delete(KEY, async c => {
    await keys.removeKey(set(c), kid(c))
    return noContent(c)
  })
  app.delete(SET, async c => {
    await keys.removeSet(set(c))
    return noContent(c)
  })
}

function decodeNewKey(value: unknown): NewKey {
  const {
    alg = '',
    kid = '',
    use = '',
  } = decodeObject(value, 'jwk.createJsonWebKeySetBody', {
    alg: text,
    use: text,
    kid: text,
  }) as Partial<NewKey>
  return { alg, kid, use }
}
