// The admin API of a flow: what the login and consent application reads, accepts and refuses. Accepting changes nothing
// here; the answer is sealed into the verifier that the browser brings back.

import { readJson } from '../../service/json-body.ts'
import type { ServiceApp } from '../../service/listen.ts'
import type { RequestContext } from '../context.ts'
import { jsonAnswer } from '../wire/answers.ts'
import type { FlowDeps } from './flow-deps.ts'
import type { AnsweredConsent, AnsweredLogin } from './flow-state.ts'
import { invalidRequest } from './oauth-errors.ts'
import { withQuery } from './query.ts'
import {
  acceptanceOf,
  ConsentAcceptIn,
  consentOf,
  denialOf,
  LoginAcceptIn,
  RejectIn,
} from './step-answers.ts'
import { consentView, loginView } from './step-views.ts'

const LOGIN = '/admin/oauth2/auth/requests/login'
const CONSENT = '/admin/oauth2/auth/requests/consent'

export function addLoginRequestRoutes(app: ServiceApp, deps: FlowDeps): void {
  const open = (challenge: string) => deps.challenges.openChallenge('login challenge', challenge)
  const goOn = (c: RequestContext, answered: AnsweredLogin) => {
    const login_verifier = deps.challenges.seal('login verifier', answered)
    return redirectTo(c, withQuery(answered.step.request.requestUrl, { login_verifier }))
  }
  app.get(LOGIN, c => {
    const challenge = challengeOf(c, 'login_challenge')
    return jsonAnswer(c, loginView(open(challenge), challenge))
  })
  app.put(`${LOGIN}/accept`, async c => {
    const challenge = challengeOf(c, 'login_challenge')
    const body = readJson(await c.req.text(), LoginAcceptIn, invalidRequest)
    if (body.subject === '') throw invalidRequest("Field 'subject' must not be empty.")
    const step = open(challenge)
    if (step.subject !== '' && step.subject !== body.subject)
      return redirectTo(c, withQuery(step.request.requestUrl, { prompt: 'login' }))
    return goOn(c, { step, accepted: acceptanceOf(step, body, deps.nowSeconds()) })
  })
  app.put(`${LOGIN}/reject`, async c => {
    const challenge = challengeOf(c, 'login_challenge')
    const body = readJson(await c.req.text(), RejectIn, invalidRequest)
    return goOn(c, { step: open(challenge), denied: denialOf(body, 'login request denied') })
  })
}

export function addConsentRequestRoutes(app: ServiceApp, deps: FlowDeps): void {
  const open = (challenge: string) => deps.challenges.openChallenge('consent challenge', challenge)
  const goOn = (c: RequestContext, answered: AnsweredConsent) => {
    const consent_verifier = deps.challenges.seal('consent verifier', answered)
    return redirectTo(c, withQuery(answered.step.request.requestUrl, { consent_verifier }))
  }
  app.get(CONSENT, c => {
    const challenge = challengeOf(c, 'consent_challenge')
    const step = open(challenge)
    return jsonAnswer(c, consentView(step, challenge, step.request.client))
  })
  app.put(`${CONSENT}/accept`, async c => {
    const challenge = challengeOf(c, 'consent_challenge')
    const body = readJson(await c.req.text(), ConsentAcceptIn, invalidRequest)
    const step = open(challenge)
    return goOn(c, { step, accepted: consentOf(step, body, new Date(deps.now()).toISOString()) })
  })
  app.put(`${CONSENT}/reject`, async c => {
    const challenge = challengeOf(c, 'consent_challenge')
    const body = readJson(await c.req.text(), RejectIn, invalidRequest)
    return goOn(c, { step: open(challenge), denied: denialOf(body, 'consent request denied') })
  })
}

/** Where the application is to send the browser. */
export function redirectTo(c: RequestContext, url: string): Response {
  return jsonAnswer(c, { redirect_to: url })
}

function challengeOf(c: RequestContext, name: string): string {
  const challenge = c.req.query(name) || c.req.query('challenge')
  if (challenge) return challenge
  throw invalidRequest("Query parameter 'challenge' is not defined but should have been.")
}
