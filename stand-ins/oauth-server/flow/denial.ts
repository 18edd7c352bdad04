// A refusal by the login and consent application, on its way to the client.

import { HydraError } from '../wire/hydra-error.ts'
import type { Denial } from './flow-state.ts'

/** The application's refusal as the error that the client gets. */
export function denialError({ error, description, hint, status }: Denial): HydraError {
  const sentence = [description, hint].filter(Boolean).join(' ').replaceAll('"', "'")
  return new HydraError(status, error, sentence)
}
