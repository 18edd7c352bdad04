// What anybody may read: discovery, the public keys, health and version.

import type { ServiceApp } from '../../service/listen.ts'
import type { OAuthServerContext, RequestContext } from '../context.ts'
import { jsonAnswer } from '../wire/answers.ts'
import { cors } from '../wire/cors.ts'
import { HydraError } from '../wire/hydra-error.ts'
import { discoveryDocument } from './discovery.ts'

const DOCUMENTS = [
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/.well-known/jwks.json',
] as const
/** The version whose wire this is. */
const VERSION = 'v26.2.0'

export function addPublicDocuments(app: ServiceApp, context: OAuthServerContext): void {
  const discovery = async (c: RequestContext) => {
    const { alg } = await context.keys.signingKey('hydra.openid.id-token')
    return jsonAnswer(c, discoveryDocument(context.addresses.public, alg))
  }
  const [openid, oauth, jwks] = DOCUMENTS
  for (const path of DOCUMENTS) app.use(path, cors)
  app.get(openid, discovery)
  app.get(oauth, discovery)
  app.get(jwks, async c => jsonAnswer(c, { keys: await context.keys.publicKeys() }))
  addHealth(app, '', context)
}

export function addAdminDocuments(app: ServiceApp, context: OAuthServerContext): void {
  addHealth(app, '/admin', context)
  app.get('/admin/version', c => jsonAnswer(c, { version: VERSION }))
}

function addHealth(app: ServiceApp, prefix: string, { database }: OAuthServerContext): void {
  app.get(`${prefix}/health/alive`, c => jsonAnswer(c, { status: 'ok' }))
  app.get(`${prefix}/health/ready`, async c => {
    await database.query('select 1').catch(() => {
      throw new HydraError(503, 'error', 'The error is unrecognizable')
    })
    return jsonAnswer(c, { status: 'ok' })
  })
}
