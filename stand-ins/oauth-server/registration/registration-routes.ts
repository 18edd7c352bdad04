// Dynamic client registration (RFC 7591, 7592) at the public port: anybody registers a client, and manages it with the
// token that registering gave. Switched off it is 404. `/connect/register` is another name for the same.

import { randomUUID } from 'node:crypto'
import { readJson } from '../../service/json-body.ts'
import type { ServiceApp } from '../../service/listen.ts'
import { ClientIn, clientAnswer } from '../clients/client-record.ts'
import { registerClient } from '../clients/client-registration.ts'
import { generateRegistrationToken, hashRegistrationToken } from '../clients/client-secrets.ts'
import { refuseForRegistration, validateClient } from '../clients/client-validation.ts'
import { sectorIdentifierCheck } from '../clients/sector-identifier.ts'
import type { OAuthServerContext, RequestContext } from '../context.ts'
import { bearerToken, jsonAnswer, noContent } from '../wire/answers.ts'
import { HydraError, malformed } from '../wire/hydra-error.ts'

const PATHS = ['/oauth2/register', '/connect/register']
const OWN_SECRET = 'It is not allowed to choose your own OAuth2 Client secret.'

export function addRegistrationRoutes(app: ServiceApp, context: OAuthServerContext): void {
  const whenOn = (handle: (c: RequestContext) => Promise<Response>) => (c: RequestContext) => {
    if (context.settings.dynamicRegistration) return handle(c)
    throw new HydraError(
      404,
      'The requested resource could not be found',
      'Dynamic registration is not enabled.',
    )
  }
  for (const path of PATHS) {
    const routes = [
      ['POST', path, create],
      ['GET', `${path}/:id`, read],
      ['PUT', `${path}/:id`, update],
      ['DELETE', `${path}/:id`, remove],
    ] as const
    for (const [method, at, handle] of routes)
      app.on(
        method,
        at,
        whenOn(c => handle(c, context)),
      )
  }
}

async function create(c: RequestContext, context: OAuthServerContext): Promise<Response> {
  const given = readJson(await c.req.text(), ClientIn, malformed)
  if (given.client_secret !== '') throw malformed(OWN_SECRET)
  refuseForRegistration(given.fields)
  const named: ClientIn = { ...given, client_id: randomUUID() }
  const answer = await registerClient(context, named, sectorIdentifierCheck(context.fetch))
  // Relative, as Hydra gives it.
  return jsonAnswer(c, answer, 201, { location: `admin/clients/${answer.client_id}` })
}

async function read(c: RequestContext, context: OAuthServerContext): Promise<Response> {
  const id = await authorizedId(c, context)
  const client = await context.clients.get(id)
  return jsonAnswer(c, clientAnswer({ ...client, metadata: undefined }))
}

/** The old token ends with it; the answer has the new one. */
async function update(c: RequestContext, context: OAuthServerContext): Promise<Response> {
  const id = await authorizedId(c, context)
  const given = readJson(await c.req.text(), ClientIn, malformed)
  if (given.client_secret !== '') throw new HydraError(403, 'The requested action was forbidden', OWN_SECRET)
  refuseForRegistration(given.fields)
  const fields = await validateClient(given, sectorIdentifierCheck(context.fetch))
  const registration_access_token = generateRegistrationToken()
  const registrationTokenHash = hashRegistrationToken(registration_access_token)
  const client = await context.clients.replace(id, { fields, secret: '', registrationTokenHash })
  return jsonAnswer(c, clientAnswer(client, { registration_access_token }))
}

async function remove(c: RequestContext, context: OAuthServerContext): Promise<Response> {
  await context.clients.remove(await authorizedId(c, context))
  return noContent(c)
}

/** The id in the path, when the caller has that client's token; else one 401 for every reason. */
async function authorizedId(c: RequestContext, { clients }: OAuthServerContext): Promise<string> {
  const id = c.req.param('id') ?? ''
  if (await clients.checkRegistrationToken(id, bearerToken(c) ?? c.req.query('access_token') ?? '')) return id
  throw new HydraError(
    401,
    'The request could not be authorized',
    'The requested OAuth 2.0 client does not exist or you provided incorrect credentials.',
  )
}
