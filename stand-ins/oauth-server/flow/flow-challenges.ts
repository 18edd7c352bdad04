// Challenges and verifiers: the flow itself, sealed, on its way between the server, the browser and the login and
// consent application. Nothing is stored, so a challenge may be read and answered as often as one likes until it
// expires; that a verifier is used once is the business of the step that it opens.

import type { Sealer } from '../../service/sealed-values.ts'
import { type HydraError, noSuchRow } from '../wire/hydra-error.ts'
import type {
  AnsweredConsent,
  AnsweredDevice,
  AnsweredLogin,
  ConsentStep,
  DeviceStep,
  LoginStep,
} from './flow-state.ts'
import { accessDenied, requestUnauthorized } from './oauth-errors.ts'

/** What each kind of challenge and verifier carries. */
interface Carried {
  readonly 'device challenge': DeviceStep
  readonly 'device verifier': AnsweredDevice
  readonly 'login challenge': LoginStep
  readonly 'login verifier': AnsweredLogin
  readonly 'consent challenge': ConsentStep
  readonly 'consent verifier': AnsweredConsent
}

type Kind = keyof Carried

export interface Challenges {
  seal<K extends Kind>(kind: K, value: Carried[K]): string
  /** Throws 404 for what is none of ours and 401 for what is older than its lifespan. */
  openChallenge<K extends Kind>(kind: K, text: string): Carried[K]
  /** Throws `access_denied` for what is none of ours and 401 for what is older than its lifespan. */
  openVerifier<K extends Kind>(kind: K, text: string): Carried[K]
}

export function makeChallenges(
  sealer: Sealer,
  lifespanSeconds: number,
  nowSeconds: () => number,
): Challenges {
  const open = <K extends Kind>(kind: K, text: string, unknown: HydraError): Carried[K] => {
    const carried = readSealed(sealer, kind, text)
    if (!carried) throw unknown
    if (requestedAt(carried) + lifespanSeconds < nowSeconds()) {
      throw requestUnauthorized(`The ${stepName(kind)} request has expired, please try again.`)
    }
    return carried
  }
  return {
    seal: (kind, value) => sealer.seal(kind, value),
    openChallenge: (kind, text) => open(kind, text, noSuchRow()),
    openVerifier: (kind, text) => open(kind, text, accessDenied(`The ${kind} is invalid.`)),
  }
}

/** Only `seal` of this file seals for these kinds, so what opens for one has its type. */
function readSealed<K extends Kind>(sealer: Sealer, kind: K, text: string): Carried[K] | undefined {
  return sealer.open(kind, text) as Carried[K] | undefined
}

function requestedAt(carried: Carried[Kind]): number {
  if ('requestedAt' in carried) return carried.requestedAt
  if ('request' in carried) return carried.request.requestedAt
  return carried.step.request.requestedAt
}

function stepName(kind: Kind): string {
  return kind.slice(0, kind.indexOf(' '))
}
