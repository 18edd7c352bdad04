// The fields and messages of a login flow. Pure.

import { csrfField, type Field, info, type Message, makeField, passwordField, traitLabel } from './flow.ts'
import type { TraitsSchema } from './traits-schema.ts'

export const CONFIRM_MESSAGE = info(1010003, 'Please confirm this action by verifying that it is you.')
export const SECOND_FACTOR_MESSAGE = info(1010004, 'Please complete the second authentication challenge.')

interface LoginForm {
  readonly csrfToken: string
  readonly identifier?: string
  /** For somebody signed in: who it is cannot be typed. */
  readonly isRefresh: boolean
  /** By the field's name. */
  readonly messages?: Readonly<Record<string, readonly Message[]>>
}

/** Identifier and password. */
export function loginFields(schema: TraitsSchema, form: LoginForm): Field[] {
  const label = form.isRefresh ? info(1010001, 'Sign in') : info(1010022, 'Sign in with password')
  return [
    csrfField(form.csrfToken),
    identifierField(schema, form),
    passwordField('current-password', form.messages?.['password']),
    makeField({ name: 'method', type: 'submit', group: 'password', value: 'password', label }),
  ]
}

function identifierField(
  { fields }: TraitsSchema,
  { identifier = '', isRefresh, messages }: LoginForm,
): Field {
  const common = { name: 'identifier', value: identifier, messages: messages?.['identifier'] }
  if (isRefresh) return makeField({ ...common, type: 'hidden' })
  const email = fields.find(field => field.type === 'email')
  const label = email?.title === undefined ? undefined : traitLabel(email.name, email.title)
  return makeField({ ...common, type: 'text', required: true, label })
}

/** There is no second factor here: nothing to fill in. */
export function secondFactorFields(type: 'browser' | 'api', csrfToken: string): Field[] {
  return type === 'browser' ? [csrfField(csrfToken)] : []
}

/** Wrong password and unknown person alike. */
export const INVALID_CREDENTIALS: Message = {
  id: 4000006,
  text:
    'The provided credentials are invalid, check for spelling mistakes in your password or username, ' +
    'email address, or phone number.',
  type: 'error',
}

export const NO_LOGIN_METHOD: Message = {
  id: 4010002,
  text: 'Could not find a strategy to log you in with. Did you fill out the form correctly?',
  type: 'error',
}
