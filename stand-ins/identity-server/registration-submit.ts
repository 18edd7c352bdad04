// A registration form: traits, then a password; or both at once. Makes the identity and its first session together.

import { randomUUID } from 'node:crypto'
import { isUniqueViolation } from '../service/database.ts'
import type { Json, JsonObject } from '../service/json.ts'
import { answerError, answerJson } from '../service/wire-answers.ts'
import { isScript } from './accept.ts'
import { answerRedirect } from './answers.ts'
import type { IdentityContext, RequestContext } from './context.ts'
import { fieldText, type Message, missingFault, type RegistrationFlow, withForm } from './flow.ts'
import { returnUrl } from './flow-start.ts'
import { saveFlow } from './flow-store.ts'
import { formText } from './flow-submission.ts'
import {
  FlowFault,
  pageOf,
  readFlowForm,
  refuseForeignForm,
  renewed,
  requireOpen,
  submitFlow,
} from './flow-submit.ts'
import { type Identity, withPasswordCredential } from './identity.ts'
import { insertIdentity } from './identity-store.ts'
import { findPasswordFault, hashPassword } from './password.ts'
import {
  CHOOSE_CREDENTIAL,
  completeTraits,
  IDENTIFIER_TAKEN,
  NO_REGISTRATION_METHOD,
  passwordMessage,
  registrationFields,
  type Screen,
  screenOf,
  violationMessages,
} from './registration-form.ts'
import { type CurrentSession, findRequestSession } from './request-session.ts'
import { issueSessionCookie, signIn } from './sign-in.ts'
import { SCHEMA_ID, type TraitsSchema } from './traits-schema.ts'
import { ownIdentity, wholeSession } from './whoami.ts'
import { alreadySignedIn } from './wire-error.ts'

export function submitRegistration(context: IdentityContext, c: RequestContext): Promise<Response> {
  return submitFlow(context, c, {
    kind: 'registration',
    restart: old => restarted(context, old),
    complete: flow => complete(context, c, flow),
  })
}

async function complete(
  context: IdentityContext,
  c: RequestContext,
  flow: RegistrationFlow,
): Promise<Response> {
  if ((await findRequestSession(context, c)) !== undefined) {
    if (flow.type === 'browser' && !isScript(c)) return answerRedirect(c, context.addresses.defaultReturnUrl)
    return answerError(c, alreadySignedIn('registration'))
  }
  requireOpen(flow)
  const { schema } = context
  const back = (message: Message) => returned(schema, flow, { messages: [message] })
  const form = await readFlowForm(c, back)
  const method = formText(form, 'method')
  const isBack = formText(form, 'screen') === 'previous'
  if (method !== 'password' && method !== 'profile' && !isBack) throw back(NO_REGISTRATION_METHOD)
  refuseForeignForm(context, c, flow, form, back)
  const traits = completeTraits(schema, form['traits'])
  if (isBack) return answerStep(context, c, returned(schema, flow, { screen: 'profile', traits }).flow)
  if (method === 'profile') return answerStep(context, c, credentialStep(schema, flow, traits))
  return register(context, c, flow, traits, formText(form, 'password'))
}

/** The password's turn, when the traits are right. */
function credentialStep(schema: TraitsSchema, flow: RegistrationFlow, traits: JsonObject): RegistrationFlow {
  requireTraits(schema, flow, traits)
  return returned(schema, flow, { screen: 'credentials', traits, messages: [CHOOSE_CREDENTIAL] }).flow
}

/** A step that went well: a script gets the flow with 400 all the same, for the sign-up is not complete. */
async function answerStep(
  context: IdentityContext,
  c: RequestContext,
  flow: RegistrationFlow,
): Promise<Response> {
  await saveFlow(context, 'registration', flow)
  if (flow.type === 'api' || isScript(c)) return answerJson(c, flow, 400)
  return answerRedirect(c, pageOf(context, 'registration', flow))
}

function requireTraits(schema: TraitsSchema, flow: RegistrationFlow, traits: JsonObject): void {
  const violations = schema.check(traits)
  if (violations.length > 0) throw returned(schema, flow, { traits, fields: violationMessages(violations) })
}

async function register(
  context: IdentityContext,
  c: RequestContext,
  flow: RegistrationFlow,
  traits: JsonObject,
  password: string,
): Promise<Response> {
  const { schema } = context
  if (password === '')
    throw returned(schema, flow, { traits, fields: { password: [missingFault('password')] } })
  requireTraits(schema, flow, traits)
  const identifiers = schema.identifiers(traits)
  const found = findPasswordFault(password, identifiers)
  if (found !== undefined)
    throw returned(schema, flow, { traits, fields: { password: [passwordMessage(found)] } })
  const identity = newIdentity(traits, identifiers, await hashPassword(password))
  try {
    const signedIn = await context.db.inTransaction(async tx => {
      await insertIdentity(tx, identity)
      return signIn(context, tx, c, identity)
    })
    await saveFlow(context, 'registration', { ...flow, active: 'password' })
    return answerRegistered(context, c, flow, signedIn)
  } catch (err) {
    if (!isUniqueViolation(err)) throw err
    throw returned(schema, flow, { traits: {}, messages: [IDENTIFIER_TAKEN] })
  }
}

function newIdentity(traits: Json, identifiers: readonly string[], hash: string): Identity {
  const now = new Date()
  return {
    id: randomUUID(),
    schema_id: SCHEMA_ID,
    traits,
    state: 'active',
    state_changed_at: now,
    metadata_public: null,
    metadata_admin: null,
    external_id: null,
    organization_id: null,
    created_at: now,
    updated_at: now,
    credentials: withPasswordCredential([], identifiers, hash),
  }
}

interface Changes {
  readonly screen?: Screen
  readonly traits?: Json
  readonly messages?: readonly Message[]
  readonly fields?: Readonly<Record<string, readonly Message[]>>
}

/** The form with what is wrong with it; what is not named in `changes` is empty, but for the step. */
function returned(
  schema: TraitsSchema,
  flow: RegistrationFlow,
  { screen = screenOf(flow.ui.nodes), traits = {}, messages, fields = {} }: Changes,
): FlowFault<RegistrationFlow> {
  const form = { csrfToken: fieldText(flow, 'csrf_token'), screen, traits, messages: fields }
  return new FlowFault(withForm(flow, registrationFields(schema, form), messages))
}

function restarted(context: IdentityContext, old: RegistrationFlow): RegistrationFlow {
  const form = { csrfToken: fieldText(old, 'csrf_token'), screen: 'profile', traits: {} } as const
  return renewed(context, old, registrationFields(context.schema, form))
}

function answerRegistered(
  context: IdentityContext,
  c: RequestContext,
  flow: RegistrationFlow,
  signedIn: CurrentSession,
): Response {
  const answer = { session: wholeSession(context, signedIn), identity: ownIdentity(context, signedIn) }
  if (flow.type === 'api') {
    const { token } = signedIn
    const next = { action: 'set_ory_session_token', ory_session_token: token }
    return answerJson(c, { session_token: token, ...answer, continue_with: [next] })
  }
  const to = returnUrl(context, flow.return_to)
  issueSessionCookie(context, c, signedIn, undefined)
  if (!isScript(c)) return answerRedirect(c, to)
  return answerJson(c, {
    ...answer,
    continue_with: [{ action: 'redirect_browser_to', redirect_browser_to: to }],
  })
}
