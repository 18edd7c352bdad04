// Errors of the Kratos wire by their names. Says nothing about who gets them as a page (self-service-errors.ts).

import { WireError } from '../service/wire-error.ts'

/** 404 of a row that is not there. */
export const noSuchResource = () => new WireError(404, { message: 'Unable to locate the resource' })

export const noActiveSession = () =>
  new WireError(401, {
    id: 'session_inactive',
    reason: 'No active session was found in this request.',
    message: 'request does not have a valid authentication session',
  })

export const alreadySignedIn = (what: 'login' | 'registration') =>
  new WireError(400, {
    id: 'session_already_available',
    reason:
      `A valid session was detected and thus ${what} is not possible.` +
      `${what === 'login' ? ' Did you forget to set `?refresh=true`?' : ''}`,
    message: 'you are already logged in',
  })

export const firstFactorRequired = () =>
  new WireError(401, {
    id: 'session_aal1_required',
    reason: 'You can not requested a higher AAL (AAL2/AAL3) without an active session.',
    message: 'aal2 and aal3 can only be requested if a session exists already',
  })
