// What an authorization is on its way: the request, then its login, then its consent. Until the consent is given it
// exists only inside challenges and verifiers (flow-challenges.ts); the database learns of it after that. Times are in
// seconds since 1970.

import type { ClientAnswer } from '../clients/client-record.ts'

export interface FlowRequest {
  readonly requestedAt: number
  /** The address that the browser first came to; going there again starts over. */
  readonly requestUrl: string
  /** The client as the admin API shows it, as it was when the flow began: later edits do not reach this flow. */
  readonly client: ClientAnswer
  readonly requestedScope: readonly string[]
  readonly requestedAudience: readonly string[]
  /** Null in the device flow, which has no OpenID Connect request. */
  readonly oidcContext: OidcContext | null
  /** The user code that a device waits for; undefined for an authorization request. */
  readonly userCode?: string | undefined
}

/** What the login page may want to know of an OpenID Connect request; absent members were not asked for. */
export interface OidcContext {
  readonly acr_values?: readonly string[]
  readonly ui_locales?: readonly string[]
  readonly display?: string
  readonly id_token_hint_claims?: Readonly<Record<string, unknown>>
  readonly login_hint?: string
}

export interface LoginStep {
  readonly request: FlowRequest
  readonly loginId: string
  readonly csrf: string
  /** The login session that this flow joins when `skip`, else the one that it will make. */
  readonly sessionId: string
  readonly skip: boolean
  /** Empty unless `skip`. */
  readonly subject: string
  /** Zero unless `skip`. */
  readonly authenticatedAt: number
}

export interface LoginAcceptance {
  readonly subject: string
  readonly authenticatedAt: number
  readonly remember: boolean
  /** Seconds; zero is the server's lifespan of a login session. */
  readonly rememberFor: number
  readonly extendSession: boolean
  readonly acr: string
  readonly amr: readonly string[]
  readonly context: unknown
  /** Only for pairwise clients: the subject to show instead of the computed one; empty for none. */
  readonly forcedSubject: string
  readonly identityProviderSessionId: string
}

/** Why a login or consent was refused, in the words of the application that refused it. */
export interface Denial {
  readonly error: string
  readonly description: string
  readonly hint: string
  readonly status: number
}

export type AnsweredLogin =
  | { readonly step: LoginStep; readonly accepted: LoginAcceptance }
  | { readonly step: LoginStep; readonly denied: Denial }

export interface ConsentStep {
  readonly request: FlowRequest
  readonly login: LoginAcceptance
  readonly loginId: string
  readonly sessionId: string
  readonly consentRequestId: string
  readonly csrf: string
  /** A remembered consent covers what is asked. */
  readonly skip: boolean
}

export interface ConsentAcceptance {
  readonly grantedScope: readonly string[]
  readonly grantedAudience: readonly string[]
  readonly remember: boolean
  /** Seconds; zero is for good. */
  readonly rememberFor: number
  readonly handledAt: string
  readonly context: unknown
  readonly accessTokenClaims: Readonly<Record<string, unknown>>
  readonly idTokenClaims: Readonly<Record<string, unknown>>
}

export type AnsweredConsent =
  | { readonly step: ConsentStep; readonly accepted: ConsentAcceptance }
  | { readonly step: ConsentStep; readonly denied: Denial }

/** A device request before its user code is known, and after. */
export interface DeviceStep {
  readonly requestedAt: number
  readonly requestUrl: string
  readonly csrf: string
}

export interface AnsweredDevice {
  readonly step: DeviceStep
  readonly request: FlowRequest
}
