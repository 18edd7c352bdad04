// The answer to an authorization request whose consent is given: a code, tokens, or both, at the redirect URI.

import type { RequestContext } from '../context.ts'
import type { ConsentRecord } from '../sessions/consent-store.ts'
import { lifespanSeconds } from '../tokens/lifespans.ts'
import { grantOfConsent } from '../tokens/token-issuer.ts'
import { answerFault, answerParts } from './answer-rules.ts'
import { type AuthorizationRequest, effectiveResponseMode } from './authorization-request.ts'
import type { FlowDeps } from './flow-deps.ts'
import { promptFaultOf } from './login-step.ts'
import { answerClient } from './redirects.ts'

/** Issues what the response type asks for. Throws the refusals that Hydra finds only now (answer-rules.ts). */
export async function answerAuthorization(
  deps: FlowDeps,
  c: RequestContext,
  request: AuthorizationRequest,
  consent: ConsentRecord,
): Promise<Response> {
  const fault = answerFault(request, consent.grantedScope, await promptFaultOf(deps, request, consent))
  if (fault) throw fault
  const values = await issueAnswer(deps, request, consent)
  return answerClient(c, request.redirectUri, effectiveResponseMode(request), {
    ...values,
    state: request.state,
  })
}

async function issueAnswer(deps: FlowDeps, request: AuthorizationRequest, consent: ConsentRecord) {
  const { client } = request
  const parts = answerParts(request, consent.grantedScope)
  const code = parts.code ? await deps.tokens.issueCode(client, consent, codeTerms(request.form)) : undefined
  const accessToken = parts.token
    ? await deps.tokens.issueAccessToken(
        client,
        grantOfConsent(consent),
        lifespanSeconds(client, 'implicit', 'access_token', deps.settings.ttlSeconds),
      )
    : undefined
  const idToken = parts.idToken
    ? await deps.tokens.signIdToken(consent, {
        lifespanSeconds: lifespanSeconds(client, 'implicit', 'id_token', deps.settings.ttlSeconds),
        accessToken: accessToken?.value,
        code,
      })
    : undefined
  const isCodeAlone = request.responseTypes.length === 1 && parts.code
  return {
    ...(code === undefined ? {} : { code }),
    ...(accessToken ? tokenValues(accessToken) : {}),
    ...(idToken === undefined ? {} : { id_token: idToken }),
    ...(accessToken || isCodeAlone ? { scope: consent.grantedScope.join(' ') } : {}),
  }
}

function tokenValues({ value, expiresInSeconds }: { value: string; expiresInSeconds: number }) {
  return { access_token: value, expires_in: String(expiresInSeconds), token_type: 'bearer' }
}

function codeTerms(form: URLSearchParams) {
  return {
    redirectUri: form.get('redirect_uri') || undefined,
    codeChallenge: form.get('code_challenge') || undefined,
  }
}
