// A JSON Patch on an identity: which paths it may touch, and what of the patched document counts. Writes nothing.

import { isJsonObject, type Json } from '../service/json.ts'
import { applyPatch, PatchError } from '../service/json-patch.ts'
import { WireError } from '../service/wire-error.ts'
import type { IdentityContext } from './context.ts'
import {
  adminIdentity,
  CREDENTIAL_TYPES,
  type Credential,
  type Identity,
  schemaUrl,
  withPasswordCredential,
} from './identity.ts'
import { checkTraits, isState } from './identity-input.ts'
import { parseJson } from './request-body.ts'
import { parseUuid } from './uuid.ts'

const DENIED = /^\/(id|statechangedat|credentials|credentials\/oidc\/.*)$/
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

const failed = (message: string) =>
  new WireError(400, { reason: 'An error occured when applying the JSON patch', message })

export interface Patched {
  readonly identity: Identity
  /** What the answer names as its schema: the patch may say anything, and nothing comes of it. */
  readonly shownSchemaUrl: string
}

/** The identity after the patch, or a 400 that says why not. */
export function patchedIdentity(
  { schema, addresses }: Pick<IdentityContext, 'schema' | 'addresses'>,
  old: Identity,
  patchText: string,
): Patched {
  const patch = parseJson(patchText, () => failed('invalid state detected'))
  const url = schemaUrl(addresses.publicUrl)
  const view = adminIdentity(old, { url, hasCredentials: true, include: CREDENTIAL_TYPES })
  // Dates become texts here, as they are in the document that the patch speaks of.
  const before: Json = JSON.parse(JSON.stringify(view))
  const after = readDocument(tryPatch(before, patch))
  const now = new Date()
  const state = requireState(after.state)
  return {
    identity: {
      ...old,
      ...after.columns,
      schema_id: checkTraits(schema, after.columns.schema_id, after.columns.traits),
      state,
      state_changed_at: state === old.state ? old.state_changed_at : now,
      updated_at: now,
      credentials: withPasswordCredential(
        keptCredentials(old, after.credentials),
        schema.identifiers(after.columns.traits),
      ),
    },
    shownSchemaUrl: after.schemaUrl,
  }
}

function tryPatch(before: Json, patch: Json): Json {
  try {
    return applyPatch(before, patch, path => DENIED.test(path))
  } catch (err) {
    if (err instanceof PatchError) throw failed(err.message)
    throw err
  }
}

function requireState(state: string): Identity['state'] {
  if (isState(state)) return state
  throw new WireError(400, {
    reason: `The supplied state ('${state}') was not valid. Valid states are ('active', 'inactive').`,
    message: 'identity state is not valid',
  })
}

function readDocument(document: Json) {
  const doc = document ?? {}
  if (!isJsonObject(doc)) throw failed('json: cannot unmarshal the patched identity: it is no object')
  const text = (name: string) => {
    const value = doc[name] ?? ''
    if (typeof value !== 'string')
      throw failed(`json: cannot unmarshal ${typeof value} into Go struct field .${name}`)
    return value
  }
  for (const name of ['state_changed_at', 'created_at', 'updated_at']) {
    if (doc[name] !== undefined && !RFC3339.test(text(name)))
      throw failed(`parsing time ${JSON.stringify(doc[name])} as "2006-01-02T15:04:05Z07:00"`)
  }
  const organization = doc['organization_id'] ?? null
  const organizationId = organization === null ? null : parseUuid(String(organization))
  if (organizationId === undefined)
    throw failed(`uuid: incorrect UUID length in ${JSON.stringify(organization)}`)
  return {
    schemaUrl: text('schema_url'),
    state: text('state'),
    credentials: readCredentials(doc['credentials'] ?? {}),
    columns: {
      schema_id: text('schema_id'),
      traits: doc['traits'] ?? {},
      metadata_public: doc['metadata_public'] ?? null,
      metadata_admin: doc['metadata_admin'],
      external_id: text('external_id') || null,
      organization_id: organizationId,
    },
  }
}

function readCredentials(value: Json): ReadonlyMap<string, Json> {
  if (!isJsonObject(value)) throw failed('json: cannot unmarshal credentials')
  return new Map(
    Object.entries(value).map(([type, credential]) => {
      if (!isJsonObject(credential))
        throw failed('json: cannot unmarshal credentials of type identity.Credentials')
      return [type, credential['config'] ?? {}]
    }),
  )
}

/** What the patch left of them; it makes no new ones but changes a password's config. */
function keptCredentials(old: Identity, configs: ReadonlyMap<string, Json>): Credential[] {
  return old.credentials.flatMap(credential => {
    const config = configs.get(credential.type)
    return config === undefined ? [] : [{ ...credential, config }]
  })
}
