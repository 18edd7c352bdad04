// Parts that several of the OAuth2 server's requests show. The server prints `null` where it has no list, and leaves out
// or empties texts that nobody set.

import * as z from 'zod'

/** A list that may be null or left out. */
export const TextList = z
  .array(z.string())
  .nullish()
  .transform(list => list ?? [])

const Text = z
  .string()
  .nullish()
  .transform(text => text || undefined)

/** The application that asks, as it was when the flow began: a copy travels in the challenge. */
export const RequestingClient = z.looseObject({
  client_id: z.string().min(1),
  client_name: Text,
  client_uri: Text,
  logo_uri: Text,
  tos_uri: Text,
  policy_uri: Text,
  metadata: z
    .record(z.string(), z.unknown())
    .nullish()
    .catch(null)
    .transform(metadata => metadata ?? {}),
  skip_consent: z.boolean().nullish(),
  skip_logout_consent: z.boolean().nullish(),
})
export type RequestingClient = z.infer<typeof RequestingClient>

/** Why a login or consent is refused, in the words that the application gets. */
export interface Refusing {
  error: string
  error_description?: string | undefined
}
