// What stands in the address of the page.

import * as z from 'zod/mini'

export const KeySearch = z.object({
  /** The key set; left out: the one of ID tokens. Empty: one that is not named yet. */
  set: z.optional(z.catch(z.string(), '')),
  sort: z.optional(z.catch(z.string(), '')),
  add: z.optional(z.catch(z.boolean(), false)),
  /** The guide through a rotation. Where it stands follows from the set's keys. */
  rotate: z.optional(z.catch(z.boolean(), false)),
  /** The key that is open beside the list. */
  kid: z.optional(z.catch(z.string(), '')),
})
export type KeySearch = z.infer<typeof KeySearch>
