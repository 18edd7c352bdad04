// Sends a form, once at a time.

import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef } from 'react'
import { ApiError } from '../api/errors.ts'
import { fieldErrors } from './field-errors.ts'

/** What the server said of a field, by the name that it has in the request's body. */
export type ErrorAt = (field: string) => string | undefined

/** Fields by the codes of errors that are about them, and do not name them: `{ bucket_exists: 'name' }`. */
export type FieldOf = Readonly<Record<string, string>>

/**
 * `send` may fail: `error` is why, and `errorAt` says it at the fields that it names. `onDone` follows a success,
 * unless the form is gone by then: whoever has left is not brought back by an answer.
 */
export function useSubmit(send: () => Promise<unknown>, onDone?: () => void, fieldOf: FieldOf = {}) {
  const { mutate, reset, isPending, isSuccess, error } = useMutation({
    // Given with each call: the hook would learn of a new one only when the page has been drawn.
    mutationFn: (call: () => Promise<unknown>) => call(),
  })
  // `isPending` is drawn a moment later: a second click, or leaving, may come before.
  const sending = useRef(false)
  const complaints = fieldErrors(error)
  const concerned = error instanceof ApiError ? fieldOf[error.code] : undefined
  const errorAt: ErrorAt = field =>
    complaints.get(field) ?? (field === concerned ? error?.message : undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A dialog's form may stand within another form of the page.
    event.stopPropagation()
    if (sending.current) return
    sending.current = true
    const sendOnce = () =>
      send().finally(() => {
        sending.current = false
      })
    mutate(sendOnce, onDone && { onSuccess: onDone })
  }
  const isSending = () => sending.current
  return { error, errorAt, isBusy: isPending, isDone: isSuccess, isSending, submit, reset }
}
