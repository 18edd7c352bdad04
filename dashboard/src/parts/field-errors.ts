// The server's complaints, each to its field. Quoin says them as `body.redirect_uris.0: must use https; body.name: ...`
// (src/http/validation.ts).

import { ApiError } from '../api/errors.ts'

/** Complaints by the name of their field, `redirect_uris.0`; empty for errors of another kind. */
export function fieldErrors(error: Error | null | undefined): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError) || error.code !== 'validation_failed') return new Map()
  const problems = (error.detail ?? error.message).split(/; (?=(?:body|query)\.)/)
  return new Map(
    problems.flatMap(problem => {
      const [, field, message] = /^(?:body|query)\.([^:]+): (.+)$/s.exec(problem) ?? []
      return field === undefined || message === undefined ? [] : [[field, sentence(message)] as const]
    }),
  )
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
