// How the rest of the service speaks to the one object that keeps request metrics. Types only;
// `durable-objects/request-metrics.ts` answers them.

import type { FinishedRequest, RequestBatch } from './request-batch.ts'

/** Answers of one class, as 2 for 2xx. */
interface ClassCount {
  class: number
  requests: number
  buckets: number[]
}

/** `time` is the begin of a step in seconds since 1970. */
export type StepCount = ClassCount & { time: number }
export type RouteCount = ClassCount & { route: string }

export interface SpanCounts {
  steps: StepCount[]
  routes: RouteCount[]
}

/** Since the object exists, never less than before. */
export interface TotalCount {
  route: string
  status: number
  requests: number
  milliseconds: number
  buckets: number[]
}

export interface SpanQuery {
  /** Multiples of `stepSeconds`, in seconds since 1970; the second is exclusive. */
  from: number
  to: number
  stepSeconds: number
}

export interface SampleQuery {
  requestId?: string | undefined
  /** As `GET /v1/keys/:id`, or its pattern alone. */
  route?: string | undefined
  statusMin?: number | undefined
  statusMax?: number | undefined
  keyId?: string | undefined
  fromMs?: number | undefined
  toMs?: number | undefined
  /** The last one of the page before. */
  before?: { atMs: number; requestId: string } | undefined
  limit: number
}

export interface RequestMetrics {
  add(batch: RequestBatch): Promise<void>
  /** By step and by route; not by both, which could be millions. */
  readSpan(query: SpanQuery): Promise<SpanCounts>
  readTotals(): Promise<TotalCount[]>
  /** Newest first. */
  readSamples(query: SampleQuery): Promise<FinishedRequest[]>
}
