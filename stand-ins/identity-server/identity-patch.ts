// A JSON Patch on an identity: which paths it may touch, and what of the patched document counts. Writes nothing.

import * as z from 'zod'
import type { Json } from '../service/json.ts'
import { parseJson, readJson, Text } from '../service/json-body.ts'
import { applyPatch, PatchError } from '../service/json-patch.ts'
import { badRequest } from '../service/wire-error.ts'
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
import { Uuid } from './uuid.ts'

const DENIED = /^\/(id|statechangedat|credentials|credentials\/oidc\/.*)$/

const failed = badRequest

/** The identity after the patch, or a 400 that says why not. */
export function patchedIdentity(
  { schema, addresses }: Pick<IdentityContext, 'schema' | 'addresses'>,
  old: Identity,
  patchText: string,
): Identity {
  const patch = parseJson(patchText, () => failed('The patch is no JSON.'))
  const url = schemaUrl(addresses.publicUrl)
  const view = adminIdentity(old, { url, hasCredentials: true, include: CREDENTIAL_TYPES })
  // Dates become texts here, as they are in the document that the patch speaks of.
  const before: Json = JSON.parse(JSON.stringify(view))
  const after = readDocument(tryPatch(before, patch))
  const now = new Date()
  const state = requireState(after.state)
  return {
    ...old,
    ...after.columns,
    schema_id: checkTraits(schema, after.columns.schema_id, after.columns.traits),
    state,
    state_changed_at: state === old.state ? old.state_changed_at : now,
    updated_at: now,
    credentials: withPasswordCredential(
      keptCredentials(old, after.configs),
      schema.identifiers(after.columns.traits),
    ),
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
  throw badRequest('identity state is not valid')
}

const Time = z.iso.datetime({ offset: true }).optional()

const DocumentIn = z.object({
  schema_id: Text,
  state: Text,
  state_changed_at: Time,
  created_at: Time,
  updated_at: Time,
  traits: z.json().optional(),
  metadata_public: z.json().optional(),
  metadata_admin: z.json().optional(),
  external_id: Text,
  organization_id: Uuid.nullish(),
  credentials: z.record(z.string(), z.object({ config: z.json().optional() })).nullish(),
})

function readDocument(document: Json) {
  const { schema_id, state, credentials, ...doc } = readJson(JSON.stringify(document), DocumentIn, failed)
  return {
    state,
    configs: new Map(Object.entries(credentials ?? {}).map(([type, { config }]) => [type, config ?? {}])),
    columns: {
      schema_id,
      traits: doc.traits ?? {},
      metadata_public: doc.metadata_public ?? null,
      metadata_admin: doc.metadata_admin,
      external_id: doc.external_id || null,
      organization_id: doc.organization_id ?? null,
    },
  }
}

/** What the patch left of them; it makes no new ones but changes a password's config. */
function keptCredentials(old: Identity, configs: ReadonlyMap<string, Json>): Credential[] {
  return old.credentials.flatMap(credential => {
    const config = configs.get(credential.type)
    return config === undefined ? [] : [{ ...credential, config }]
  })
}
