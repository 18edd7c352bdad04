// Signing up: how a registration flow starts and is read, by a browser and by an app. Its submission is
// registration-submit.ts.

import { queryOf, type Route } from '../service/route-table.ts'
import { answerError, answerJson } from '../service/wire-answers.ts'
import { isScript, prefersJson } from './accept.ts'
import { answerRedirect } from './answers.ts'
import type { IdentityContext, RequestContext } from './context.ts'
import type { RegistrationFlow } from './flow.ts'
import { returnUrl, startFlow } from './flow-start.ts'
import { readFlow, saveFlow } from './flow-store.ts'
import { pageOf } from './flow-submit.ts'
import { registrationFields } from './registration-form.ts'
import { submitRegistration } from './registration-submit.ts'
import { findRequestSession } from './request-session.ts'
import { forwardError } from './self-service-errors.ts'
import { alreadySignedIn } from './wire-error.ts'

export function registrationRoutes(context: IdentityContext): Route[] {
  const path = '/self-service/registration'
  return [
    { method: 'GET', path: `${path}/browser`, handle: c => startInBrowser(context, c) },
    { method: 'GET', path: `${path}/api`, handle: c => startInApp(context, c) },
    { method: 'GET', path: `${path}/flows`, handle: c => read(context, c) },
    { method: 'POST', path, handle: c => submitRegistration(context, c) },
    {
      method: 'GET',
      path,
      handle: c => answerRedirect(c, `${context.addresses.uiUrl}/registration${new URL(c.req.url).search}`),
    },
  ]
}

async function read(context: IdentityContext, c: RequestContext): Promise<Response> {
  return answerJson(c, await readFlow(context, 'registration', c, queryOf(c).get('id') ?? ''))
}

async function startInApp(context: IdentityContext, c: RequestContext): Promise<Response> {
  const flow = newRegistrationFlow(context, c, 'api')
  if ((await findRequestSession(context, c)) !== undefined) throw alreadySignedIn('registration')
  await saveFlow(context, 'registration', flow)
  return answerJson(c, flow)
}

async function startInBrowser(context: IdentityContext, c: RequestContext): Promise<Response> {
  try {
    const flow = newRegistrationFlow(context, c, 'browser')
    if ((await findRequestSession(context, c)) !== undefined) {
      if (isScript(c)) return answerError(c, alreadySignedIn('registration'))
      return answerRedirect(c, returnUrl(context, queryOf(c).get('return_to') ?? ''))
    }
    await saveFlow(context, 'registration', flow)
    return prefersJson(c) ? answerJson(c, flow) : answerRedirect(c, pageOf(context, 'registration', flow))
  } catch (err) {
    return forwardError(context, c, err)
  }
}

/** Not saved yet. */
function newRegistrationFlow(
  context: IdentityContext,
  c: RequestContext,
  type: RegistrationFlow['type'],
): RegistrationFlow {
  const { base, action, csrfToken } = startFlow(context, c, 'registration', type)
  const nodes = registrationFields(context.schema, { csrfToken, screen: 'profile', traits: {} })
  return { ...base, ui: { action, method: 'POST', nodes } }
}
