// /api/permsrv with a user's session, on objects of the test's own; what was written is left to the stack's end.

import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { type Answer, call } from '../oauth/caller.ts'

const { permission_read_url } = inject('stack')

/** `/api/permsrv` and below. */
export function permissions(method: string, path: string, body?: unknown): Promise<Answer> {
  return call(method, `/api/permsrv${path}`, body)
}

export function importTuples(tuples: readonly unknown[]): Promise<Answer> {
  return permissions('POST', '/relation-tuples/import', { tuples })
}

/** A name that nobody else uses. */
export function unique(label: string): string {
  return `${label}-${randomUUID()}`
}

/** The tuples of an object as the permission server has them, copies included. */
export async function storedOf(namespace: string, object: string): Promise<Record<string, unknown>[]> {
  const query = new URLSearchParams({ namespace, object, page_size: '500' })
  const response = await fetch(`${permission_read_url}/relation-tuples?${query}`)
  const { relation_tuples } = (await response.json()) as { relation_tuples: Record<string, unknown>[] }
  return relation_tuples
}
