// The admin API of clients (`/admin/clients`). Bodies are decoded here, checked by client-validation.ts and stored by
// the client store; what is answered is what Hydra answers, its slips included.

import { readJson } from '../../service/json-body.ts'
import type { ServiceApp } from '../../service/listen.ts'
import type { OAuthServerContext, RequestContext } from '../context.ts'
import { jsonAnswer, noContent } from '../wire/answers.ts'
import { malformed } from '../wire/hydra-error.ts'
import { patchClient } from './client-patch.ts'
import { type Client, ClientIn, clientAnswer, Lifespans } from './client-record.ts'
import { registerClient } from './client-registration.ts'
import { type SectorIdentifierCheck, validateClient } from './client-validation.ts'
import { sectorIdentifierCheck } from './sector-identifier.ts'

const PATH = '/admin/clients'

export function addClientRoutes(app: ServiceApp, context: OAuthServerContext): void {
  const { clients } = context
  const checkSector = sectorIdentifierCheck(context.fetch)
  const id = (c: RequestContext) => c.req.param('id') ?? ''
  app.get(PATH, c => listClients(c, context))
  app.post(PATH, async c => {
    const client = readJson(await c.req.text(), ClientIn, malformed)
    const answer = await registerClient(context, client, checkSector)
    return jsonAnswer(c, answer, 201, { location: `${PATH}/${encodeURIComponent(answer.client_id)}` })
  })
  app.get(`${PATH}/:id`, async c => jsonAnswer(c, clientAnswer(await clients.get(id(c)))))
  app.put(`${PATH}/:id`, async c => putClient(c, id(c), context, checkSector))
  app.patch(`${PATH}/:id`, async c => {
    const body = await c.req.text()
    return jsonAnswer(c, await patchClient(context, await clients.get(id(c)), body, checkSector))
  })
  app.delete(`${PATH}/:id`, async c => {
    await clients.remove(id(c))
    return noContent(c)
  })
  app.put(`${PATH}/:id/lifespans`, async c => putLifespans(c, await clients.get(id(c)), context, checkSector))
}

async function listClients(
  c: RequestContext,
  { clients, pageTokens }: OAuthServerContext,
): Promise<Response> {
  const url = new URL(`${PATH}${new URL(c.req.url).search}`, c.req.url)
  const query = url.searchParams
  const page = pageTokens.read('clients', query)
  const found = await clients.list({
    name: query.get('client_name') ?? '',
    owner: query.get('owner') ?? '',
    after: page.after,
    limit: page.size + 1,
  })
  const shown = found.slice(0, page.size)
  const next = found.length > shown.length ? shown.at(-1)?.client_id : undefined
  const link = pageTokens.link('clients', url, page, next)
  return jsonAnswer(
    c,
    shown.map(client => clientAnswer(client)),
    200,
    { link },
  )
}

/** Everything but the secret and the creation is replaced; the answer repeats what the caller called secret. */
async function putClient(
  c: RequestContext,
  id: string,
  { clients }: OAuthServerContext,
  checkSector: SectorIdentifierCheck,
): Promise<Response> {
  const given = readJson(await c.req.text(), ClientIn, malformed)
  const fields = await validateClient(given, checkSector)
  const client = await clients.replace(id, { fields, secret: given.client_secret, registrationTokenHash: '' })
  return jsonAnswer(c, clientAnswer(client, given))
}

/** All thirteen are replaced: those left out go back to the server's. */
async function putLifespans(
  c: RequestContext,
  { client_id, created_at: _created, updated_at: _updated, ...stored }: Client,
  { clients }: OAuthServerContext,
  checkSector: SectorIdentifierCheck,
): Promise<Response> {
  const lifespans = readJson(await c.req.text(), Lifespans, malformed)
  const fields = await validateClient({ fields: { ...stored, ...lifespans }, client_secret: '' }, checkSector)
  return jsonAnswer(c, clientAnswer(await clients.replace(client_id, { fields, secret: '' })))
}
