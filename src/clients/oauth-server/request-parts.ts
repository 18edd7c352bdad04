// Parts that several of the OAuth2 server's requests show.

import * as z from 'zod'
import { Text, TextList } from './wire-text.ts'

const OptionalText = Text.transform(text => text || undefined)

/** The application that asks, as it was when the flow began: a copy travels in the challenge. */
export const RequestingClient = z.looseObject({
  client_id: z.string().min(1),
  client_name: OptionalText,
  client_uri: OptionalText,
  logo_uri: OptionalText,
  tos_uri: OptionalText,
  policy_uri: OptionalText,
  redirect_uris: TextList,
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
