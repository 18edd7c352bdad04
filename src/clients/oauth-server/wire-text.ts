// Texts and lists as the OAuth2 server's Go code prints them: null, or left out, where there is nothing; which of them
// comes depends on the call.

import * as z from 'zod'

/** A text; empty where there is none. */
export const Text = z
  .string()
  .nullish()
  .transform(text => text ?? '')

/** A list of texts; empty where there is none. */
export const TextList = z
  .array(z.string())
  .nullish()
  .transform(list => list ?? [])
