// What every part of the form takes.

import type { ErrorAt } from '../../../../parts/use-submit.ts'
import type { ClientDraft } from './draft.ts'

export interface FieldsProps {
  draft: ClientDraft
  onChange: (changed: Partial<ClientDraft>) => void
  errorAt: ErrorAt
}

/** What the server said of a list that is shown as one field: of all of it, or of the first item that it refused. */
export function errorOfList(errorAt: ErrorAt, field: string, length: number): string | undefined {
  const ofItems = Array.from({ length }, (_, i) => errorAt(`${field}.${i}`))
  return errorAt(field) ?? ofItems.find(message => message !== undefined)
}
