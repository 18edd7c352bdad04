// The admin's lists of identities, and making many in one request.

import * as z from 'zod'
import { isUniqueViolation } from '../service/database.ts'
import { readJson } from '../service/json-body.ts'
import { queryOf, type Route } from '../service/route-table.ts'
import { answerJson } from '../service/wire-answers.ts'
import { badRequest, WireError } from '../service/wire-error.ts'
import { readIncludedTypes, takenConflict } from './admin-identities.ts'
import type { IdentityContext, RequestContext } from './context.ts'
import { adminIdentity, type Identity, schemaUrl } from './identity.ts'
import { CreateIn, InvalidTraits, makeIdentity } from './identity-input.ts'
import { countIdentities, type IdentityFilter, insertIdentity, listIdentities } from './identity-store.ts'
import { type PagingRule, pageLink, readPaging } from './pagination.ts'
import { normaliseIdentifier } from './traits-schema.ts'
import { parseUuid } from './uuid.ts'

const IDS_MAX = 500
const BATCH_MAX = 1000
const BATCH_WITH_PASSWORD_MAX = 200
const PATH = '/admin/identities'
const PAGING: PagingRule = { max: 500, pageOne: 0, token: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i }

export function adminIdentityListRoutes(context: IdentityContext): Route[] {
  return [
    { method: 'GET', path: '/identities', handle: c => list(context, c) },
    { method: 'PATCH', path: '/identities', handle: c => createMany(context, c) },
  ]
}

async function list(context: IdentityContext, c: RequestContext): Promise<Response> {
  const query = queryOf(c)
  const filter = readFilter(query)
  const include = readIncludedTypes(query)
  if (Object.keys(filter).length > 1) throw badRequest('You cannot combine multiple filters in this API')
  const paging = readPaging(query, PAGING)
  // One more than the page holds says whether there is a next one.
  const found = await listIdentities(context.db, filter, { ...paging, limit: paging.size + 1 })
  const shown = found.slice(0, paging.size)
  if (query.has('page')) c.header('x-total-count', String(await countIdentities(context.db)))
  c.header('link', pageLink(PATH, query, paging, found.length > paging.size ? shown.at(-1)?.id : undefined))
  const isByIdentifier = filter.identifier !== undefined || filter.identifierPrefix !== undefined
  const url = schemaUrl(context.addresses.publicUrl)
  const view = { url, include, hasCredentials: include.size > 0 || isByIdentifier }
  return answerJson(
    c,
    shown.map(identity => adminIdentity(identity, view)),
  )
}

/** The filters asked for; an empty text is none, an empty id is a bad one. */
function readFilter(query: URLSearchParams): IdentityFilter {
  const ids = query.getAll('ids')
  const organization = query.get('organization_id') ?? ''
  const identifier = query.get('credentials_identifier') ?? ''
  const similar = query.get('preview_credentials_identifier_similar') ?? ''
  return {
    ...(ids.length === 0 ? {} : { ids: readIds(ids) }),
    ...(organization === '' ? {} : { organizationId: readId(organization, 'organization_id') }),
    ...(identifier === '' ? {} : { identifier: [normaliseIdentifier(identifier), identifier] as const }),
    ...(similar === '' ? {} : { identifierPrefix: normaliseIdentifier(similar) }),
  }
}

/** Bad ones are told before there are too many. */
function readIds(texts: readonly string[]): string[] {
  const ids = texts.map(text => readId(text, 'ids'))
  if (ids.length <= IDS_MAX) return ids
  throw badRequest(`The number of ids to filter must not exceed ${IDS_MAX}.`)
}

function readId(text: string, parameter: string): string {
  const id = parseUuid(text)
  if (id === undefined) throw badRequest(`Invalid UUID value \`${text}\` for parameter \`${parameter}\`.`)
  return id
}

/** Each is made or fails by itself, in order; a body that cannot be one at all makes none. */
async function createMany(context: IdentityContext, c: RequestContext): Promise<Response> {
  const entries = await readBatch(c)
  const identities = await Promise.all(entries.map(({ create }) => create && tryMake(context, create)))
  const results: unknown[] = []
  for (const [i, identity] of identities.entries()) {
    const patchId = entries[i]?.patch_id
    const named = typeof patchId === 'string' ? { patch_id: patchId } : {}
    if (!identity) results.push(null)
    else results.push({ ...(await insertOne(context, identity)), ...named })
  }
  return answerJson(c, { identities: results })
}

async function tryMake(context: IdentityContext, create: CreateIn): Promise<Identity | WireError> {
  try {
    return await makeIdentity(context, create)
  } catch (err) {
    if (err instanceof InvalidTraits) return err
    throw err
  }
}

async function insertOne({ db }: IdentityContext, identity: Identity | WireError): Promise<object> {
  if (identity instanceof WireError) return { action: 'error', error: identity.body }
  try {
    await db.inTransaction(tx => insertIdentity(tx, identity))
    return { action: 'create', identity: identity.id }
  } catch (err) {
    if (isUniqueViolation(err)) return { action: 'error', error: takenConflict().body }
    throw err
  }
}

const BatchIn = z.strictObject({
  identities: z
    .array(z.strictObject({ create: CreateIn.nullish(), patch_id: z.unknown().optional() }))
    .nullish(),
})

async function readBatch(c: RequestContext) {
  const entries = readJson(await c.req.text(), BatchIn, badRequest).identities ?? []
  const withPassword = entries.filter(({ create }) => create?.credentials?.password?.config?.password)
  if (entries.length > BATCH_MAX || withPassword.length > BATCH_WITH_PASSWORD_MAX)
    throw badRequest(
      `At most ${BATCH_MAX} identities can be created at once, ${BATCH_WITH_PASSWORD_MAX} with a plaintext password.`,
    )
  return entries
}
