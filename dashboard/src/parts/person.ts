// What people are called. Traits are the deployment's own: nothing but their usual names is assumed. Pure.

import type { Schema } from '../api/schema.ts'

type Identity = Schema<'Identity'>

export function emailOf({ traits }: Identity): string | null {
  return text(traits['email'])
}

/** The trait `name`, or its parts. */
export function nameOf({ traits: { name } }: Identity): string | null {
  if (typeof name !== 'object' || name === null) return text(name)
  const { first, last } = name as Record<string, unknown>
  return [text(first), text(last)].filter(part => part !== null).join(' ') || null
}

/** Decides about the dashboard. */
export function roleOf({ metadata_public: metadata }: Identity): string | null {
  return text(metadata['role'])
}

/** What a page about this person is called. */
export function titleOf(identity: Identity): string {
  return emailOf(identity) ?? nameOf(identity) ?? identity.id
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null
}
