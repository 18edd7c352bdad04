// The admin API of key sets (`/admin/keys`). Answers have private parts, as Hydra's have: the admin port is for
// trusted callers alone.

import * as z from 'zod'
import { readJson, Text } from '../../service/json-body.ts'
import type { ServiceApp } from '../../service/listen.ts'
import type { OAuthServerContext, RequestContext } from '../context.ts'
import { jsonAnswer, noContent } from '../wire/answers.ts'
import { malformed, noSuchRow } from '../wire/hydra-error.ts'

const SET = '/admin/keys/:set'
const KEY = '/admin/keys/:set/:key'

const NewKeyIn = z.object({ alg: Text, kid: Text, use: Text })

export function addKeyRoutes(app: ServiceApp, { keys, addresses }: OAuthServerContext): void {
  const set = (c: RequestContext) => c.req.param('set') ?? ''
  const kid = (c: RequestContext) => c.req.param('key') ?? ''
  app.get(SET, async c => {
    const found = await keys.keysOf(set(c))
    if (found.length === 0) throw noSuchRow()
    return jsonAnswer(c, { keys: found })
  })
  app.get(KEY, async c => {
    const found = await keys.key(set(c), kid(c))
    if (found === undefined) throw noSuchRow()
    return jsonAnswer(c, { keys: [found] })
  })
  app.post(SET, async c => {
    const made = await keys.generate(set(c), readJson(await c.req.text(), NewKeyIn, malformed))
    const location = `${addresses.public}/keys/${encodeURIComponent(set(c))}`
    return jsonAnswer(c, { keys: [made] }, 201, { location })
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
