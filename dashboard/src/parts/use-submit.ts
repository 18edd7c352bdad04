// Sends a form, once at a time.

import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { fieldErrors } from './field-errors.ts'

/** What the server said of a field, by the name that it has in the request's body. */
export type ErrorAt = (field: string) => string | undefined

/**
 * `send` may fail: `error` is why, and `errorAt` says it at the fields that it names. `onDone` follows a success,
 * unless the form is gone by then: whoever has left is not brought back by an answer.
 */
export function useSubmit(send: () => Promise<unknown>, onDone?: () => void) {
  const { mutate, isPending: isBusy, error } = useMutation({ mutationFn: send })
  const complaints = fieldErrors(error)
  const errorAt: ErrorAt = field => complaints.get(field)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A dialog's form may stand within another form of the page.
    event.stopPropagation()
    if (!isBusy) mutate(undefined, { onSuccess: onDone })
  }
  return { error, errorAt, isBusy, submit }
}
