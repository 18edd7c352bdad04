// The admin's identities: list, make, read, replace, patch, delete.

import { isUniqueViolation } from '../service/database.ts'
import { readJson } from '../service/json-body.ts'
import { pathParameter, queryOf, type Route } from '../service/route-table.ts'
import { answerJson } from '../service/wire-answers.ts'
import { badRequest, unreadable, WireError } from '../service/wire-error.ts'
import { answerNothing } from './answers.ts'
import type { IdentityContext, RequestContext } from './context.ts'
import { adminIdentity, CREDENTIAL_TYPES, type Identity, passwordHash, schemaUrl } from './identity.ts'
import { CreateIn, makeIdentity, ReplaceIn, replacedIdentity } from './identity-input.ts'
import { patchedIdentity } from './identity-patch.ts'
import {
  deleteIdentity,
  findByExternalId,
  findIdentity,
  insertIdentity,
  replaceIdentity,
} from './identity-store.ts'
import { readJsonBody } from './request-body.ts'
import { parseUuid } from './uuid.ts'
import { noSuchResource } from './wire-error.ts'

const ONE = '/identities/:id'

export function adminIdentityRoutes(context: IdentityContext): Route[] {
  return [
    { method: 'POST', path: '/identities', handle: c => create(context, c) },
    { method: 'GET', path: '/identities/by/external/:externalId', handle: c => getByExternalId(context, c) },
    { method: 'GET', path: ONE, handle: c => get(context, c) },
    { method: 'PUT', path: ONE, handle: c => replace(context, c) },
    { method: 'PATCH', path: ONE, handle: c => patch(context, c) },
    { method: 'DELETE', path: ONE, handle: c => remove(context, c) },
    { method: 'DELETE', path: `${ONE}/credentials/:type`, handle: c => removeCredential(context, c) },
  ]
}

async function create(context: IdentityContext, c: RequestContext): Promise<Response> {
  const identity = await makeIdentity(context, readJson(await c.req.text(), CreateIn, unreadable))
  await change(context, tx => insertIdentity(tx, identity))
  c.header('location', `${context.addresses.adminUrl}/identities/${identity.id}`)
  return answerJson(c, changedView(context, identity), 201)
}

async function get(context: IdentityContext, c: RequestContext): Promise<Response> {
  const identity = await findIdentity(context.db, identityId(c))
  return answerIdentity(context, c, identity)
}

async function getByExternalId(context: IdentityContext, c: RequestContext): Promise<Response> {
  const identity = await findByExternalId(context.db, pathParameter(c, 'externalId'))
  return answerIdentity(context, c, identity)
}

function answerIdentity(
  context: IdentityContext,
  c: RequestContext,
  identity: Identity | undefined,
): Response {
  if (identity === undefined) throw noSuchResource()
  const include = readIncludedTypes(queryOf(c))
  const url = schemaUrl(context.addresses.publicUrl)
  return answerJson(c, adminIdentity(identity, { url, hasCredentials: true, include }))
}

async function replace(context: IdentityContext, c: RequestContext): Promise<Response> {
  const body = await readJsonBody(c, ReplaceIn)
  const id = identityId(c)
  const identity = await change(context, async tx => {
    const old = await findIdentity(tx, id, 'for update')
    if (old === undefined) throw noSuchResource()
    const changed = await replacedIdentity(context, old, body)
    await replaceIdentity(tx, changed)
    return changed
  })
  return answerJson(c, changedView(context, identity))
}

async function patch(context: IdentityContext, c: RequestContext): Promise<Response> {
  const text = await c.req.text()
  const id = identityId(c)
  const identity = await change(context, async tx => {
    const old = await findIdentity(tx, id, 'for update')
    if (old === undefined) throw noSuchResource()
    const patched = patchedIdentity(context, old, text)
    await replaceIdentity(tx, patched)
    return patched
  })
  return answerJson(c, changedView(context, identity))
}

async function remove(context: IdentityContext, c: RequestContext): Promise<Response> {
  if (!(await deleteIdentity(context.db, identityId(c)))) throw noSuchResource()
  return answerNothing(c)
}

/** A person keeps the last way to sign in: all this provider has is the password, so only other credentials can go. */
async function removeCredential(context: IdentityContext, c: RequestContext): Promise<Response> {
  const type = pathParameter(c, 'type')
  await change(context, async tx => {
    const old = await findIdentity(tx, identityId(c), 'for update')
    if (old === undefined) throw noSuchResource()
    if (!old.credentials.some(credential => credential.type === type))
      throw new WireError(404, {
        reason: `You tried to remove a ${type} but this user have no ${type} set up.`,
      })
    const others = old.credentials.filter(credential => credential.type !== type)
    if (type === 'password' || passwordHash(old) === undefined)
      throw badRequest('You cannot remove the last first factor credential.')
    await replaceIdentity(tx, { ...old, updated_at: new Date(), credentials: others })
  })
  return answerNothing(c)
}

/** A transaction in which a taken identifier or external id is the caller's 409. */
async function change<T>(
  { db }: Pick<IdentityContext, 'db'>,
  work: Parameters<typeof db.inTransaction<T>>[0],
): Promise<T> {
  try {
    return await db.inTransaction(work)
  } catch (err) {
    if (isUniqueViolation(err)) throw takenConflict()
    throw err
  }
}

/** 409 of an identifier that is another's. */
export function takenConflict(): WireError {
  return new WireError(409, { reason: 'This identity conflicts with another identity that already exists.' })
}

function changedView(
  { addresses }: Pick<IdentityContext, 'addresses'>,
  identity: Identity,
): Record<string, unknown> {
  return adminIdentity(identity, {
    url: schemaUrl(addresses.publicUrl),
    hasCredentials: true,
    include: new Set(),
  })
}

/** An id that is none is not found; so say all paths of one identity but those of its sessions. */
function identityId(c: RequestContext): string {
  const id = parseUuid(pathParameter(c, 'id'))
  if (id === undefined) throw noSuchResource()
  return id
}

/** `include_credential`, repeated. */
export function readIncludedTypes(query: URLSearchParams): ReadonlySet<string> {
  const types = query.getAll('include_credential')
  const unknown = types.find(type => !CREDENTIAL_TYPES.has(type))
  if (unknown === undefined) return new Set(types)
  throw badRequest(`Invalid value \`${unknown}\` for parameter \`include_credential\`.`)
}
