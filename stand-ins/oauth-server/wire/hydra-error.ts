// The one error of this server: what Hydra would say, with the status it would say it with. Knows no HTTP framework;
// answers.ts writes it out.

/** `error` is an OAuth2 code or, for errors of storage, an English sentence; `description` may be empty. */
export class HydraError extends Error {
  readonly status: number
  readonly error: string
  readonly description: string
  constructor(status: number, error: string, description = '') {
    super(description === '' ? error : `${error}: ${description}`)
    this.status = status
    this.error = error
    this.description = description
  }
}

/** The body or a parameter cannot be read; `reason` says where. */
export function malformed(reason: string): HydraError {
  return new HydraError(400, 'The request was malformed or contained invalid parameters', reason)
}

/** A row that is not there. */
export function noSuchRow(): HydraError {
  return new HydraError(404, 'Unable to locate the resource')
}

export function alreadyThere(): HydraError {
  return new HydraError(
    409,
    'Unable to insert or update resource because a resource with that value exists already',
  )
}

/** What is not foreseen; Hydra answers broken patches with it as well. */
export function unrecognizable(): HydraError {
  return new HydraError(500, 'error', 'The error is unrecognizable')
}
