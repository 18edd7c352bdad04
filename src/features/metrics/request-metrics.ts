// How the rest of the service speaks to the one object that keeps request metrics. Types only;
// `durable-objects/request-metrics/` answers them.

import type { FinishedRequest, RequestBatch } from './request-batch.ts'

/** Requests of one step, route and status; `time` is its begin in seconds since 1970. */
export interface StepCount {
  time: number
  route: string
  status: number
  requests: number
  buckets: number[]
}

/** Since the object exists, never less than before. */
export interface TotalCount {
  route: string
  status: number
  requests: number
  milliseconds: number
  buckets: number[]
}

export interface StepQuery {
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
  readSteps(query: StepQuery): Promise<StepCount[]>
  readTotals(): Promise<TotalCount[]>
  /** Newest first. */
  readSamples(query: SampleQuery): Promise<FinishedRequest[]>
}
