// The permission server (the Keto wire): relation tuples are read and checked at its read port, written at its write
// port. What a tuple means, and which ones may be written, is for features to say.

import * as z from 'zod'
import { callUpstream, invalidAnswer, type Upstream, type UpstreamAnswer, unexpected } from './http.ts'
import { PageToken } from './page-cursor.ts'

/** All who have that relation to that object; with an empty relation the object itself. */
export interface SubjectSet {
  readonly namespace: string
  readonly object: string
  readonly relation: string
}

/** Exactly one of the two is there. */
export type Subject =
  | { readonly subject_id: string; readonly subject_set?: undefined }
  | { readonly subject_set: SubjectSet; readonly subject_id?: undefined }

/** Names and subject as the wire has them (Spec, Relation tuple). */
export type RelationTuple = SubjectSet & Subject

/** Which tuples; what is left out is any. */
export interface TupleFilter {
  readonly namespace?: string | undefined
  readonly object?: string | undefined
  readonly relation?: string | undefined
  readonly subject?: Subject | undefined
}

export interface TuplePage {
  readonly tuples: readonly RelationTuple[]
  /** Undefined on the last page. */
  readonly nextPageToken: string | undefined
}

/** A page of tuples; or that the server does not know a namespace of the filter, or does not take the page token. */
export type TupleListAnswer =
  | ({ outcome: 'page' } & TuplePage)
  | { outcome: 'unknown_namespace' }
  | { outcome: 'refused_token' }

/** What became of a write: all of it, or nothing, because of a namespace that the server does not know. */
export type TupleWriteAnswer =
  | { outcome: 'written' }
  | { outcome: 'unknown_namespace'; reason: string }
  | { outcome: 'refused'; reason: string }

/** Whether the subject has the relation; or why the server cannot say: a name that is not declared, or its limits. */
export type CheckAnswer =
  | { outcome: 'checked'; allowed: boolean }
  | { outcome: 'refused' | 'given_up'; reason: string }

/** The server cuts a larger page to this without saying so. */
export const TUPLES_PER_PAGE_MAX = 500
/** A write of many tuples is one transaction of the server's. */
const WRITE_TIMEOUT_MS = 15_000

/** One page of tuples, in an order that the server promises nothing about. */
export async function listTuples(
  read: Upstream,
  filter: TupleFilter,
  page: { size: number; token?: string | undefined },
): Promise<TupleListAnswer> {
  const answer = await callUpstream(read, {
    method: 'GET',
    path: '/relation-tuples',
    query: { ...filterQuery(filter), page_size: String(page.size), page_token: page.token },
  })
  return processListTuples(read, answer, page)
}

const TuplePageAnswer = z.looseObject({
  relation_tuples: z.array(z.custom<RelationTuple>(isTuple)).nullable(),
  next_page_token: PageToken.default(''),
})

/** What an answer to `listTuples` means. With a token, 400 is about the token: all else was checked before. */
export function processListTuples(
  read: Upstream,
  answer: UpstreamAnswer,
  { token }: { token?: string | undefined },
): TupleListAnswer {
  const isRefusal = refusalOf(answer) !== undefined
  if (answer.status === 400 && isRefusal && token !== undefined) return { outcome: 'refused_token' }
  if (answer.status === 404 && isRefusal) return { outcome: 'unknown_namespace' }
  if (answer.status !== 200) throw unexpected(read, answer)
  const parsed = TuplePageAnswer.safeParse(answer.json)
  if (!parsed.success) throw invalidAnswer(read, answer)
  const { relation_tuples, next_page_token } = parsed.data
  return { outcome: 'page', tuples: relation_tuples ?? [], nextPageToken: next_page_token || undefined }
}

/** Inserts tuples, all or none. The server itself stores a tuple again that it has. */
export function insertTuples(write: Upstream, tuples: readonly RelationTuple[]): Promise<TupleWriteAnswer> {
  return patchTuples(write, 'insert', tuples)
}

/** Deletes tuples with all their copies, all or none; those that are not there are no error. */
export function deleteTuples(write: Upstream, tuples: readonly RelationTuple[]): Promise<TupleWriteAnswer> {
  return patchTuples(write, 'delete', tuples)
}

async function patchTuples(
  write: Upstream,
  action: 'insert' | 'delete',
  tuples: readonly RelationTuple[],
): Promise<TupleWriteAnswer> {
  const answer = await callUpstream(write, {
    method: 'PATCH',
    path: '/admin/relation-tuples',
    json: tuples.map(tuple => ({ action, relation_tuple: tuple })),
    timeoutMs: WRITE_TIMEOUT_MS,
  })
  return processWriteTuples(write, answer)
}

/** What an answer to a write means. A 400 or 404 that is not in the server's own words is a gateway's. */
export function processWriteTuples(write: Upstream, answer: UpstreamAnswer): TupleWriteAnswer {
  if (answer.status === 204) return { outcome: 'written' }
  const reason = refusalOf(answer)
  if (answer.status === 404 && reason !== undefined) return { outcome: 'unknown_namespace', reason }
  if (answer.status === 400 && reason !== undefined) return { outcome: 'refused', reason }
  throw unexpected(write, answer)
}

/** Whether the tuple's subject has the relation, directly or through others, as deep as the server looks. */
export async function checkTuple(read: Upstream, tuple: RelationTuple): Promise<CheckAnswer> {
  const answer = await callUpstream(read, {
    method: 'POST',
    onlyReads: true,
    path: '/relation-tuples/check/openapi',
    json: tuple,
  })
  return processCheckTuple(read, answer)
}

const CheckResult = z.looseObject({ allowed: z.boolean() })

/** What an answer to a check means: older servers deny with 403 and a body, which is an answer and not a failure. */
export function processCheckTuple(read: Upstream, answer: UpstreamAnswer): CheckAnswer {
  const { status, json } = answer
  const result = CheckResult.safeParse(json)
  if (status === 200 && result.success) return { outcome: 'checked', allowed: result.data.allowed }
  if (status === 403 && result.success && !result.data.allowed) return { outcome: 'checked', allowed: false }
  const reason = refusalOf(answer)
  if (status === 400 && reason !== undefined) return { outcome: 'refused', reason }
  if (status === 422 && reason !== undefined) return { outcome: 'given_up', reason }
  throw unexpected(read, answer)
}

const NamespaceList = z.looseObject({ namespaces: z.array(z.looseObject({ name: z.string() })).nullable() })

/** The names of the namespaces that the server knows, sorted; it says nothing of their relations. */
export async function listNamespaceNames(read: Upstream, timeoutMs?: number): Promise<string[]> {
  const answer = await callUpstream(read, {
    method: 'GET',
    path: '/namespaces',
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
  if (answer.status !== 200) throw unexpected(read, answer)
  const parsed = NamespaceList.safeParse(answer.json)
  if (!parsed.success) throw invalidAnswer(read, answer)
  return (parsed.data.namespaces ?? []).map(({ name }) => name).sort()
}

function filterQuery({ namespace, object, relation, subject }: TupleFilter) {
  const set = subject?.subject_set
  return {
    namespace,
    object,
    relation,
    subject_id: subject?.subject_id,
    'subject_set.namespace': set?.namespace,
    'subject_set.object': set?.object,
    'subject_set.relation': set?.relation,
  }
}

const Refusal = z.looseObject({
  error: z.looseObject({ message: z.string().default(''), reason: z.string().default('') }),
})

/** The server's own words in a refusal; undefined for a body of another form, such as a gateway's page. */
function refusalOf({ json }: UpstreamAnswer): string | undefined {
  const parsed = Refusal.safeParse(json)
  return parsed.success ? parsed.data.error.reason || parsed.data.error.message : undefined
}

/** By hand: a schema takes several times as long, and pages of five hundred are read by the dozen. */
function isTuple(value: unknown): boolean {
  if (!hasNames(value)) return false
  const { subject_id, subject_set } = value as Record<string, unknown>
  return typeof subject_id === 'string' ? subject_set === undefined : hasNames(subject_set)
}

function hasNames(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { namespace, object, relation } = value as Record<string, unknown>
  return typeof namespace === 'string' && typeof object === 'string' && typeof relation === 'string'
}
