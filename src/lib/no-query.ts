// The query of routes whose answer cannot be narrowed.

import * as z from 'zod'

/** Refuses every parameter: `?limit=1` on a list without pages would else look as if it had been heard. */
export const NoQuery = z.strictObject({})
