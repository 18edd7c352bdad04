// `GET|POST /oauth2/auth`: an authorization request, and its return from the login and the consent page.

import { clientAnswer } from '../clients/client-record.ts'
import type { RequestContext } from '../context.ts'
import { HydraError } from '../wire/hydra-error.ts'
import { answerAuthorization } from './authorization-answer.ts'
import {
  type AnswerTarget,
  type AuthorizationRequest,
  effectiveResponseMode,
  validateAuthorizationRequest,
} from './authorization-request.ts'
import { askForConsent, takeConsent } from './consent-step.ts'
import type { FlowDeps } from './flow-deps.ts'
import type { FlowRequest, OidcContext } from './flow-state.ts'
import { askForLogin, takeLogin } from './login-step.ts'
import { encodeQuery, queryValues, withQuery } from './query.ts'
import { answerClient } from './redirects.ts'
import { readRequestForm } from './request-form.ts'
import { withRequestObject } from './request-object.ts'
import { words } from './scope-matching.ts'

/** Answers one step of an authorization; refusals go to the client, or to the error page while it is not proven. */
export async function authorize(deps: FlowDeps, c: RequestContext): Promise<Response> {
  let target: AnswerTarget | undefined
  try {
    const asked = await readRequestForm(c)
    const client = await deps.clients.find(asked.get('client_id') ?? '')
    const form = client ? await withRequestObject(deps, client, asked) : asked
    const validated = validateAuthorizationRequest(form, client)
    if (validated.outcome === 'refused') return answerRefusal(deps, c, validated.error, validated.target)
    const { request } = validated
    target = { ...request, responseMode: effectiveResponseMode(request) }
    return await takeStep(deps, c, request)
  } catch (err) {
    if (!(err instanceof HydraError)) throw err
    return answerRefusal(deps, c, err, target)
  }
}

/** Sends the browser to the error page with a refusal. */
export function showError(deps: Pick<FlowDeps, 'addresses'>, c: RequestContext, error: HydraError): Response {
  return c.redirect(withQuery(deps.addresses.error, errorValues(error)))
}

async function takeStep(deps: FlowDeps, c: RequestContext, request: AuthorizationRequest): Promise<Response> {
  const loginVerifier = request.form.get('login_verifier')?.trim()
  const consentVerifier = request.form.get('consent_verifier')?.trim()
  if (loginVerifier) {
    return askForConsent(deps, c, request, await takeLogin(deps, c, request, loginVerifier))
  }
  if (consentVerifier) {
    const { consent } = await takeConsent(deps, c, request, consentVerifier)
    return answerAuthorization(deps, c, request, consent)
  }
  return askForLogin(deps, c, request, flowRequest(deps, c, request))
}

function flowRequest(deps: FlowDeps, c: RequestContext, request: AuthorizationRequest): FlowRequest {
  return {
    requestedAt: deps.nowSeconds(),
    requestUrl: `${deps.addresses.public}/oauth2/auth${queryOf(c, request)}`,
    client: clientAnswer(request.client),
    requestedScope: request.scopes,
    requestedAudience: request.audience,
    oidcContext: oidcContext(request.form),
  }
}

/** The query as it came; the parameters of a POST become one, so that the browser can come back with a GET. */
function queryOf(c: RequestContext, request: AuthorizationRequest): string {
  return c.req.method === 'GET' ? new URL(c.req.url).search : `?${encodeQuery(queryValues(request.form))}`
}

function oidcContext(form: URLSearchParams): OidcContext {
  const [acrValues, uiLocales] = [words(form.get('acr_values')), words(form.get('ui_locales'))]
  const [display, loginHint] = [form.get('display'), form.get('login_hint')]
  return {
    ...(acrValues.length ? { acr_values: acrValues } : {}),
    ...(uiLocales.length ? { ui_locales: uiLocales } : {}),
    ...(display ? { display } : {}),
    ...(loginHint ? { login_hint: loginHint } : {}),
  }
}

function answerRefusal(
  deps: FlowDeps,
  c: RequestContext,
  error: HydraError,
  target: AnswerTarget | undefined,
): Response {
  if (!target) return showError(deps, c, error)
  return answerClient(c, target.redirectUri, target.responseMode, {
    ...errorValues(error),
    state: target.state,
  })
}

function errorValues(error: HydraError) {
  return { error: error.error, error_description: error.description }
}
