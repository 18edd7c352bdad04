// The server's complaints, each to its field. Quoin says them as `body.redirect_uris.0: must use https; body.name: ...`
// (src/http/validation.ts).

import { ApiError } from '../api/errors.ts'

/** Codes of errors that name fields: each by itself, and some that cannot go together. */
const WITH_FIELDS = ['validation_failed', 'unsupported_combination']

/** Complaints by the name of their field, `redirect_uris.0`; empty for errors of another kind. */
export function fieldErrors(error: Error | null | undefined): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError) || !WITH_FIELDS.includes(error.code)) return new Map()
  // A field that was not sent, and is wrong beside one that was, stands without `body`.
  const problems = (error.detail ?? error.message).split(/; (?=(?:body\.|query\.)?[\w.]+: )/)
  return new Map(
    problems.flatMap(problem => {
      const [, field, message] = /^(?:body\.|query\.)?([\w.]+): (.+)$/s.exec(problem) ?? []
      return field === undefined || message === undefined ? [] : [[field, sentence(message)] as const]
    }),
  )
}

/** A field's name at the beginning stays as it is. */
function sentence(text: string): string {
  return /^[a-z]+_/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1)
}
