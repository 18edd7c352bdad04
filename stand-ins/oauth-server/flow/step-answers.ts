// What the login and consent application sends to accept or refuse (pure).

import * as z from 'zod'
import { Flag, Integer, Text, Texts } from '../../service/json-body.ts'
import type { ConsentAcceptance, ConsentStep, Denial, LoginAcceptance, LoginStep } from './flow-state.ts'

const Claims = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform(value => value ?? {})
const AnyJson = z
  .unknown()
  .nullish()
  .transform(value => value ?? null)

export const LoginAcceptIn = z.object({
  subject: Text,
  remember: Flag,
  remember_for: Integer,
  extend_session_lifespan: Flag,
  acr: Text,
  amr: Texts,
  context: AnyJson,
  force_subject_identifier: Text,
  identity_provider_session_id: Text,
})
export type LoginAcceptIn = z.infer<typeof LoginAcceptIn>

export const ConsentAcceptIn = z.object({
  grant_scope: Texts,
  grant_access_token_audience: Texts,
  remember: Flag,
  remember_for: Integer,
  context: AnyJson,
  session: z.object({ access_token: Claims, id_token: Claims }).nullish(),
})
export type ConsentAcceptIn = z.infer<typeof ConsentAcceptIn>

export const RejectIn = z.object({
  error: Text,
  error_description: Text,
  error_hint: Text,
  error_debug: Text,
  status_code: Integer,
})
export type RejectIn = z.infer<typeof RejectIn>

export const DeviceAcceptIn = z.object({ user_code: Text })

/** The login as accepted at `nowInteger`; a skipped one stays remembered and keeps the time it was done. */
export function acceptanceOf(step: LoginStep, body: LoginAcceptIn, nowInteger: number): LoginAcceptance {
  return {
    subject: body.subject,
    authenticatedAt: step.skip ? step.authenticatedAt : nowInteger,
    remember: step.skip || body.remember,
    rememberFor: body.remember_for,
    extendSession: body.extend_session_lifespan,
    acr: body.acr,
    amr: body.amr,
    context: body.context,
    forcedSubject: body.force_subject_identifier,
    identityProviderSessionId: body.identity_provider_session_id,
  }
}

/** The consent as given; the login's context stays unless the consent has one. `handledAt` is RFC 3339. */
export function consentOf(step: ConsentStep, body: ConsentAcceptIn, handledAt: string): ConsentAcceptance {
  return {
    grantedScope: [...new Set(body.grant_scope)],
    grantedAudience: [...new Set(body.grant_access_token_audience)],
    remember: body.remember,
    rememberFor: body.remember_for,
    handledAt,
    context: body.context ?? step.login.context,
    accessTokenClaims: body.session?.access_token ?? {},
    idTokenClaims: body.session?.id_token ?? {},
  }
}

/** The refusal; without a code of its own it is `defaultError` with status 400. */
export function denialOf(body: RejectIn, defaultError: string): Denial {
  return {
    error: body.error || defaultError,
    description: body.error_description,
    hint: body.error_hint,
    status: body.status_code || 400,
  }
}
