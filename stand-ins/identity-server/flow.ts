// What a self-service flow is on the wire: a form with its fields and messages, and where it came from. Pure.

import type { Json } from '../service/json.ts'

export type FlowKind = 'login' | 'registration'

export interface Message {
  readonly id: number
  readonly text: string
  readonly type: 'info' | 'error'
  readonly context?: Readonly<Record<string, Json>>
}

export interface Field {
  readonly type: 'input'
  readonly group: string
  readonly attributes: {
    readonly name: string
    readonly type: string
    readonly value?: Json
    readonly required?: boolean
    readonly autocomplete?: string
    readonly disabled: false
    readonly node_type: 'input'
  }
  readonly messages: readonly Message[]
  readonly meta: { readonly label?: Message }
}

interface FlowBase {
  readonly id: string
  readonly type: 'browser' | 'api'
  readonly expires_at: string
  readonly issued_at: string
  /** The URL that began it, with its query. */
  readonly request_url: string
  /** As it was asked for; resolved again when it is used. */
  readonly return_to?: string
  /** The method that succeeded. */
  readonly active?: string
  readonly ui: {
    readonly action: string
    readonly method: 'POST'
    readonly nodes: readonly Field[]
    readonly messages?: readonly Message[]
  }
  readonly organization_id: null
  readonly state: 'choose_method'
}

export interface LoginFlow extends FlowBase {
  readonly created_at: string
  readonly updated_at: string
  /** True for somebody signed in who is to sign in again. */
  readonly refresh: boolean
  readonly requested_aal: 'aal1' | 'aal2'
}

export type RegistrationFlow = FlowBase

export type Flow = LoginFlow | RegistrationFlow

/** The flow with other fields and messages; no messages at all leave none behind. */
export function withForm<F extends Flow>(
  flow: F,
  nodes: readonly Field[],
  messages: readonly Message[] = [],
): F {
  const { action, method } = flow.ui
  return { ...flow, ui: { action, method, nodes, ...(messages.length === 0 ? {} : { messages }) } }
}

/** The text that a hidden or typed field of a flow holds; empty when it holds none. */
export function fieldText({ ui }: Flow, name: string): string {
  const value = ui.nodes.find(node => node.attributes.name === name)?.attributes.value
  return typeof value === 'string' ? value : ''
}

interface FieldParts {
  readonly name: string
  readonly type: string
  readonly group?: string
  readonly value?: Json | undefined
  readonly required?: boolean | undefined
  readonly autocomplete?: string | undefined
  readonly label?: Message | undefined
  readonly messages?: readonly Message[] | undefined
}

export function makeField({
  name,
  type,
  group = 'default',
  label,
  messages = [],
  ...parts
}: FieldParts): Field {
  const { value, required, autocomplete } = parts
  return {
    type: 'input',
    group,
    attributes: {
      name,
      type,
      ...(value === undefined ? {} : { value }),
      ...(required === true ? { required } : {}),
      ...(autocomplete === undefined ? {} : { autocomplete }),
      disabled: false,
      node_type: 'input',
    },
    messages,
    meta: label === undefined ? {} : { label },
  }
}

export function csrfField(token: string): Field {
  return makeField({ name: 'csrf_token', type: 'hidden', value: token, required: true })
}

export function passwordField(
  autocomplete: 'current-password' | 'new-password',
  messages: readonly Message[] = [],
): Field {
  const label = info(1070001, 'Password')
  return makeField({
    name: 'password',
    type: 'password',
    group: 'password',
    required: true,
    autocomplete,
    label,
    messages,
  })
}

export function traitLabel(name: string, title: string): Message {
  return { ...info(1070002, title), context: { name, title } }
}

export function info(id: number, text: string): Message {
  return { id, text, type: 'info' }
}

export function fault(id: number, text: string, context?: Readonly<Record<string, Json>>): Message {
  return context === undefined ? { id, text, type: 'error' } : { id, text, type: 'error', context }
}

/** 4000001: whatever has no number of its own. */
export function generalFault(reason: string): Message {
  return fault(4000001, reason, { reason })
}

export function missingFault(property: string): Message {
  return fault(4000002, `Property ${property} is missing.`, { property })
}
