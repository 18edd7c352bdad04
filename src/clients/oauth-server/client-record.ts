// A client as the OAuth2 server writes it (contracts of the Hydra wire, section 2.2): lists that are null after a
// write, texts that are left out when empty, thirteen lifespans. Pure. What callers see is `features/oauth/clients`.

import * as z from 'zod'
import { Text, TextList } from './wire-text.ts'

const Flag = z
  .boolean()
  .nullish()
  .transform(flag => flag ?? false)
/** A Go duration; null is the server's own default, and older servers do not know all of them. */
const Lifespan = z
  .string()
  .nullish()
  .transform(text => text ?? null)

/** How long what each grant issues lives. The names are the server's. */
const LIFESPANS = {
  authorization_code_grant_access_token_lifespan: Lifespan,
  authorization_code_grant_id_token_lifespan: Lifespan,
  authorization_code_grant_refresh_token_lifespan: Lifespan,
  client_credentials_grant_access_token_lifespan: Lifespan,
  device_authorization_grant_access_token_lifespan: Lifespan,
  device_authorization_grant_id_token_lifespan: Lifespan,
  device_authorization_grant_refresh_token_lifespan: Lifespan,
  implicit_grant_access_token_lifespan: Lifespan,
  implicit_grant_id_token_lifespan: Lifespan,
  jwt_bearer_grant_access_token_lifespan: Lifespan,
  refresh_token_grant_access_token_lifespan: Lifespan,
  refresh_token_grant_id_token_lifespan: Lifespan,
  refresh_token_grant_refresh_token_lifespan: Lifespan,
}
export type LifespanField = keyof typeof LIFESPANS

/** What Quoin reads of a client. Fields that it does not name, such as the registration token, stop here. */
export const WireClient = z.object({
  client_id: z.string().min(1),
  client_name: Text,
  /** In the answers to a creation and to a change of it only. */
  client_secret: z.string().optional(),
  grant_types: TextList,
  response_types: TextList,
  redirect_uris: TextList,
  post_logout_redirect_uris: TextList,
  scope: Text,
  audience: TextList,
  owner: Text,
  contacts: TextList,
  client_uri: Text,
  logo_uri: Text,
  tos_uri: Text,
  policy_uri: Text,
  token_endpoint_auth_method: Text,
  subject_type: Text,
  sector_identifier_uri: Text,
  access_token_strategy: Text,
  frontchannel_logout_uri: Text,
  frontchannel_logout_session_required: Flag,
  backchannel_logout_uri: Text,
  backchannel_logout_session_required: Flag,
  skip_consent: Flag,
  skip_logout_consent: Flag,
  /** Any JSON: other tools may have put there what they like. */
  metadata: z.unknown().optional(),
  created_at: Text,
  updated_at: Text,
  ...LIFESPANS,
})
export type WireClient = z.infer<typeof WireClient>

/**
 * A field that Quoin may write. Not `client_id`: patched, it would make the server write over the client of that id.
 */
export type WritableField = Exclude<keyof WireClient, 'client_id' | 'created_at' | 'updated_at'>

/** Fields of a client to be written, by the server's names. */
export type WireChange = { [Field in WritableField]?: unknown }

/** A client to be made. The id is chosen by the caller, so that it is known even if the answer gets lost. */
export type NewWireClient = WireChange & { client_id: string }
