// What is wrong with a tree of levels, in our words and in PostgREST's. Pure.

import { DomainError } from '../../../errors.ts'
import { CatalogRefusal } from '../catalog/catalog-refusal.ts'

/** For a filter, an order or a page of a relation that `select` does not have. */
export function notEmbedded(name: string): never {
  const message = `'${name}' is not an embedded resource in this request`
  const hint = `Verify that '${name}' is included in the 'select' query parameter.`
  throw new DomainError('invalid_filter', message, {
    hint: `${hint} If it is the start of a column's name with a dot, put the name in double quotes.`,
    postgrest: { code: 'PGRST108', message, hint },
  })
}

export function badEmbedFilter(name: string): never {
  throw new CatalogRefusal('invalid_filter', `Bad operator on the '${name}' embedded resource`, {
    detail: 'Only is null or not is null filters are allowed on embedded resources',
    hint: `Write ${name}=not.is.null, or filter its rows: ${name}.<column>=eq.<value>.`,
    postgrest: { code: 'PGRST120', hint: null },
  })
}

export function relatedOrderToMany(origin: string, relation: string): CatalogRefusal {
  return new CatalogRefusal('invalid_order', `A related order on '${relation}' is not possible`, {
    detail: `'${origin}' and '${relation}' do not form a many-to-one or one-to-one relationship`,
    postgrest: { code: 'PGRST118' },
  })
}

export function aggregateInSpread(): CatalogRefusal {
  const detail = 'Aggregates are not implemented for one-to-many or many-to-many spreads.'
  return new CatalogRefusal('invalid_select', 'Feature not implemented', {
    detail,
    hint: 'Embed the relation without the dots: the aggregate is over its rows then.',
    postgrest: { code: 'PGRST127', details: detail, hint: null },
  })
}

export function unknownColumns(): CatalogRefusal {
  return new CatalogRefusal('invalid_select', 'The columns that * stands for are not known here.', {
    hint: 'Name them: beside an aggregate, and after three dots, each has a place of its own.',
  })
}
