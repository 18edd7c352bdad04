// What may be refused only because the catalog was read before the schema changed.

import { DomainError } from '../../../errors.ts'

/** A refusal that depends on the catalog: `withCatalog` tries once more with a newer one. */
export class CatalogRefusal extends DomainError {}
