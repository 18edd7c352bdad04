// PATCH of a client: its JSON, secret included, is patched and taken for a whole new client. Every fault of the patch
// itself, and every value of a wrong type, is Hydra's unspecific 500; only what validation refuses is a 400.

import { randomUUID } from 'node:crypto'
import { readJson } from '../../service/json-body.ts'
import { applyPatch, PatchError } from '../../service/json-patch.ts'
import type { OAuthServerContext } from '../context.ts'
import { unrecognizable } from '../wire/hydra-error.ts'
import { type Client, type ClientAnswer, ClientIn, clientAnswer } from './client-record.ts'
import { type SectorIdentifierCheck, validateClient } from './client-validation.ts'

const DENIED_PATH = '/id'

/** Applies the patch in `body` and answers the client, with its secret when that was changed. */
export async function patchClient(
  { clients }: Pick<OAuthServerContext, 'clients'>,
  client: Client,
  body: string,
  checkSector: SectorIdentifierCheck,
): Promise<ClientAnswer> {
  // In the place of the hash that Hydra has there: a patch may replace or remove it.
  const unchanged = randomUUID()
  const patched = readPatched(clientAnswer(client, { client_secret: unchanged }), body)
  const given = patched.client_secret === unchanged ? { ...patched, client_secret: '' } : patched
  const fields = await validateClient(given, checkSector)
  // A patched client_id names the client that is written over, as with Hydra.
  const change = { fields, secret: given.client_secret, registrationTokenHash: '' }
  const stored = await clients.replace(given.client_id, change)
  return clientAnswer(stored, given)
}

function readPatched(document: ClientAnswer, body: string): ClientIn {
  try {
    const patched = applyPatch(
      JSON.parse(JSON.stringify(document)),
      JSON.parse(body),
      path => path === DENIED_PATH,
    )
    return readJson(JSON.stringify(patched), ClientIn, unrecognizable)
  } catch (err) {
    if (err instanceof PatchError || err instanceof SyntaxError) throw unrecognizable()
    throw err
  }
}
