// The fields and messages of a registration flow: first the traits, then the password. Pure.

import { isJsonObject, type Json, type JsonObject } from '../service/json.ts'
import {
  csrfField,
  type Field,
  fault,
  generalFault,
  info,
  type Message,
  makeField,
  missingFault,
  passwordField,
  traitLabel,
} from './flow.ts'
import { PASSWORD_BYTES_MAX, type PasswordFault } from './password.ts'
import type { TraitField, TraitsSchema, Violation } from './traits-schema.ts'

/** What the form asks for now. */
export type Screen = 'profile' | 'credentials'

interface RegistrationForm {
  readonly csrfToken: string
  readonly screen: Screen
  readonly traits: Json
  /** By the field's name. */
  readonly messages?: Readonly<Record<string, readonly Message[]>>
}

const SIGN_UP = info(1040001, 'Sign up')
export const CHOOSE_CREDENTIAL = info(1040009, 'Please choose a credential to authenticate yourself with.')

export const NO_REGISTRATION_METHOD: Message = {
  id: 4010003,
  text: 'Could not find a strategy to sign you up with. Did you fill out the form correctly?',
  type: 'error',
}

export const IDENTIFIER_TAKEN: Message = {
  id: 4000007,
  text: 'An account with the same identifier (email, phone, username, ...) exists already.',
  type: 'error',
}

export function registrationFields(schema: TraitsSchema, form: RegistrationForm): Field[] {
  const [first, ...others] = schema.fields.map(field => traitField(field, form))
  return [
    csrfField(form.csrfToken),
    ...(first === undefined ? [] : [first]),
    ...passwordFields(form),
    ...others,
    ...strayField('traits', form),
    ...submitFields(form.screen),
  ]
}

/** Which of the two the flow shows. */
export function screenOf(nodes: readonly Field[]): Screen {
  return nodes.some(node => node.group === 'password') ? 'credentials' : 'profile'
}

/** In the second step the traits are sent along, out of sight. */
function traitField(
  { name, type, title, isRequired }: TraitField,
  { screen, traits, messages }: RegistrationForm,
): Field {
  return makeField({
    name,
    type: screen === 'credentials' ? 'hidden' : type,
    value: valueAt(traits, name.split('.').slice(1)),
    required: isRequired,
    autocomplete: type === 'email' ? 'email' : undefined,
    label: title === undefined ? undefined : traitLabel(name, title),
    messages: messages?.[name],
  })
}

function passwordFields(form: RegistrationForm): Field[] {
  if (form.screen === 'credentials') return [passwordField('new-password', form.messages?.['password'])]
  return strayField('password', form)
}

/** For a message about something that the form does not ask for in this step. */
function strayField(name: string, { messages }: RegistrationForm): Field[] {
  const own = messages?.[name]
  return own === undefined ? [] : [makeField({ name, type: 'text', messages: own })]
}

function submitFields(screen: Screen): Field[] {
  const submit = { name: 'method', type: 'submit', label: SIGN_UP }
  if (screen === 'profile') return [makeField({ ...submit, group: 'profile', value: 'profile' })]
  const back = {
    name: 'screen',
    type: 'submit',
    group: 'profile',
    value: 'previous',
    label: info(1040008, 'Back'),
  }
  return [makeField({ ...submit, group: 'password', value: 'password' }), makeField(back)]
}

function valueAt(value: Json, keys: readonly string[]): Json | undefined {
  const [key, ...rest] = keys
  if (key === undefined) return value
  const next = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return next === undefined ? undefined : valueAt(next, rest)
}

/** The traits of a form: objects of the schema that were left out are there, empty. */
export function completeTraits({ fields }: TraitsSchema, traits: Json | undefined): JsonObject {
  const given = isJsonObject(traits) ? { ...traits } : {}
  for (const { name } of fields) {
    const [, parent = '', ...inner] = name.split('.')
    if (inner.length > 0 && given[parent] === undefined) given[parent] = {}
  }
  return given
}

/** The violations as messages, by the field's name. */
export function violationMessages(violations: readonly Violation[]): Record<string, Message[]> {
  return Object.fromEntries(violations.map(violation => [violation.field, [violationMessage(violation)]]))
}

function violationMessage({ keyword, text, expected = '', actual = '' }: Violation): Message {
  switch (keyword) {
    case 'required':
      return missingFault(expected)
    case 'type':
      return fault(4000026, text, { actual_type: actual, allowed_types: [expected] })
    case 'format':
      return fault(4000040, 'Enter a valid email address', { value: actual })
    default:
      return generalFault(text)
  }
}

export function passwordMessage(found: PasswordFault): Message {
  switch (found.fault) {
    case 'short': {
      const text = `The password must be at least ${found.min} characters long, but got ${found.actual}.`
      return fault(4000032, text, { min_length: found.min, actual_length: found.actual })
    }
    case 'long':
      return fault(4000033, `The password must be at most ${PASSWORD_BYTES_MAX} bytes long.`, {
        max_length: PASSWORD_BYTES_MAX,
      })
    case 'like the identifier':
      return fault(4000031, 'The password can not be used because it is too similar to the identifier.')
  }
}
