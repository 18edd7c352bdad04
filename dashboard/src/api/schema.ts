// Apart from the client, for modules that are pure.

import type { components } from '../../../build/api.js'

/** A shape of docs/openapi.json by its name: `Schema<'OAuthClient'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]
