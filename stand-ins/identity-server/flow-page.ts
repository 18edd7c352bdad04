// A flow as an HTML form: its messages, its fields, its buttons. Works without scripts, for a screen reader too.

import { html } from 'hono/html'
import type { Field, Flow, Message } from './flow.ts'
import type { Html } from './page-layout.ts'

/** The form of a flow. Fields without a label are none that a visitor is asked for; those in error are shown. */
export function flowForm(flow: Flow): Html {
  const fields = flow.ui.nodes.filter(isAsked)
  const firstWrong = fields.find(field => field.messages.length > 0)
  const focused = firstWrong ?? fields.find(field => isTyped(field) && !field.attributes.value)
  return html`${(flow.ui.messages ?? []).map(flowMessage)}
<form action="${flow.ui.action}" method="post">
${fields.map(field => fieldOf(field, field === focused))}
</form>`
}

/** Kratos' words where nothing but a password can be chosen. */
const CHOOSE_CREDENTIAL_ID = 1040009

function flowMessage({ id, type, text }: Message): Html {
  if (id === CHOOSE_CREDENTIAL_ID) return html`<p>Choose a password to sign in with.</p>`
  return type === 'error' ? html`<p class="error" role="alert">${text}</p>` : html`<p>${text}</p>`
}

function isAsked(field: Field): boolean {
  const { type } = field.attributes
  return type === 'hidden' || type === 'submit' || field.meta.label !== undefined || field.messages.length > 0
}

function isTyped({ attributes }: Field): boolean {
  return attributes.type !== 'hidden' && attributes.type !== 'submit'
}

function fieldOf(field: Field, isFocused: boolean): Html {
  const { name, type, value } = field.attributes
  // What a trait of a list looks like in a form is not settled: such values travel by JSON alone.
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  if (type === 'hidden')
    return text === '' ? html`` : html`<input type="hidden" name="${name}" value="${text}">`
  const label = field.meta.label?.text ?? name
  if (type === 'submit') return submitOf(name, text, label)
  return html`<label for="${name}">${label}</label>
${inputOf(field, type === 'password' ? '' : text, isFocused)}
${field.messages.map(message => html`<p class="error" id="${name}-error">${message.text}</p>`)}`
}

function submitOf(name: string, value: string, label: string): Html {
  return name === 'screen'
    ? html`<button class="second" name="${name}" value="${value}" formnovalidate>${label}</button>`
    : html`<button name="${name}" value="${value}">${label}</button>`
}

function inputOf({ attributes, messages }: Field, value: string, isFocused: boolean): Html {
  const { name, type, required = false, autocomplete = autocompleteOf(name) } = attributes
  const wrong = messages.length === 0 ? '' : html` aria-invalid="true" aria-describedby="${name}-error"`
  return html`<input id="${name}" name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}"
autocapitalize="none"${required ? html` required` : ''}${isFocused ? html` autofocus` : ''}${wrong}>`
}

const AUTOCOMPLETE: Readonly<Record<string, string>> = {
  identifier: 'username',
  'traits.name.first': 'given-name',
  'traits.name.last': 'family-name',
}

function autocompleteOf(name: string): string {
  return AUTOCOMPLETE[name] ?? 'off'
}
