// What is asked of the wrong port is sent to the right one with 307, as far as the real server does so.

import { pathAndQuery, type Route } from '../service/route-table.ts'
import { answerRedirect } from './answers.ts'
import type { IdentityContext, RequestContext } from './context.ts'

type Context = Pick<IdentityContext, 'addresses'>

/** On the admin port: the flows, whoami, the schemas, and ending one's own sessions. */
export function toPublicPort({ addresses }: Context): Route[] {
  const handle = (c: RequestContext) =>
    answerRedirect(c, addresses.publicUrl + pathAndQuery(c).replace(/^\/+admin(?=\/)/, ''), 307)
  return [
    { method: 'ANY', path: '/self-service/*', handle },
    { method: 'GET', path: '/sessions/whoami', handle },
    { method: 'DELETE', path: '/sessions', handle },
    { method: 'GET', path: '/schemas', handle },
    { method: 'GET', path: '/schemas/:id', handle },
  ]
}

/** On the public port: identities, with and without `/admin`, but not their sessions' lists. */
export function toAdminPort({ addresses }: Context): Route[] {
  const handle = (c: RequestContext) =>
    answerRedirect(c, `${addresses.adminUrl}/admin${pathAndQuery(c).replace(/^\/admin(?=\/)/, '')}`, 307)
  const both = ['/identities', '/admin/identities'].flatMap(path => {
    const item = ['GET', 'PUT', 'PATCH', 'DELETE'] as const
    return [
      { method: 'GET', path, handle } as const,
      { method: 'POST', path, handle } as const,
      { method: 'GET', path: `${path}/by/external/:externalId`, handle } as const,
      ...item.map(method => ({ method, path: `${path}/:id`, handle }) as const),
      { method: 'DELETE', path: `${path}/:id/credentials/:type`, handle } as const,
    ]
  })
  return [...both, { method: 'DELETE', path: '/identities/:id/sessions', handle }]
}
