/**
 * Owns the listener's figures and their Prometheus text. Pure: counts what it is told.
 */
import type { IngestOutcome } from './ingest-answer.ts'
import type { Lag } from './outbox.ts'

/** Only ever rising, over all connections of this process. */
export interface Counters {
  looks: number
  takenChunks: number
  sentMessages: number
  sentChunks: number
  sentEvents: number
  confirmedChunks: number
  overdueChunks: number
  databaseFailures: number
  readonly requests: Record<IngestOutcome['outcome'], number>
}

/** What is now. */
export interface Gauges {
  readonly role: Role
  readonly waitingChunks: number
  readonly sentChunks: number
  readonly requestsUnderWay: number
  readonly isIngestFailing: boolean
  /** Undefined: Postgres did not say. */
  readonly lag: Lag | undefined
}

/** `disconnected` is neither: there is no connection with Postgres. */
export type Role = 'active' | 'standby' | 'disconnected'

export function makeCounters(): Counters {
  return {
    looks: 0,
    takenChunks: 0,
    sentMessages: 0,
    sentChunks: 0,
    sentEvents: 0,
    confirmedChunks: 0,
    overdueChunks: 0,
    databaseFailures: 0,
    requests: { accepted: 0, refused: 0, unavailable: 0, unauthorized: 0, misconfigured: 0 },
  }
}

type Metric = readonly [
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  samples: Readonly<Record<string, number>> | number,
]

/** The text of `/metrics`, format 0.0.4. */
export function metricsText(counters: Counters, gauges: Gauges): string {
  return [...gaugeMetrics(gauges), ...counterMetrics(counters)].map(metricLines).join('')
}

function gaugeMetrics(gauges: Gauges): Metric[] {
  const { role, lag } = gauges
  const lagMetrics: Metric[] = [
    ['backlog_chunks', 'gauge', 'Chunks in the outbox, counted up to 100000.', lag?.chunks ?? 0],
    ['lag_events', 'gauge', 'Changes in the outbox, of up to 100000 chunks.', lag?.events ?? 0],
    ['lag_seconds', 'gauge', 'Age of the oldest change in the outbox.', lag?.seconds ?? 0],
    ['dead_letters', 'gauge', 'Events given up and not delivered since, up to 1000.', lag?.deadLetters ?? 0],
    ['unhandled_messages', 'gauge', 'Messages not handled, up to 1000.', lag?.unhandledMessages ?? 0],
  ]
  return [
    ['active', 'gauge', '1: this listener sends. 0: it stands by.', Number(role === 'active')],
    ['connected', 'gauge', '1: it has a connection with Postgres.', Number(role !== 'disconnected')],
    ['ingest_failing', 'gauge', '1: the last request was not taken.', Number(gauges.isIngestFailing)],
    ['waiting_chunks', 'gauge', 'Chunks read that wait to be sent.', gauges.waitingChunks],
    ['unconfirmed_chunks', 'gauge', 'Chunks sent and not confirmed.', gauges.sentChunks],
    ['requests_under_way', 'gauge', 'Ingest requests under way.', gauges.requestsUnderWay],
    ['resident_memory_bytes', 'gauge', 'Memory of the process.', process.memoryUsage.rss()],
    ...(lag === undefined ? [] : lagMetrics),
  ]
}

function counterMetrics(counters: Counters): Metric[] {
  return [
    ['looks_total', 'counter', 'Looks into the outbox.', counters.looks],
    ['taken_chunks_total', 'counter', 'Chunks read from the outbox.', counters.takenChunks],
    ['sent_messages_total', 'counter', 'Messages that the ingest route accepted.', counters.sentMessages],
    ['sent_chunks_total', 'counter', 'Chunks in them.', counters.sentChunks],
    ['sent_events_total', 'counter', 'Changes in them.', counters.sentEvents],
    ['confirmed_chunks_total', 'counter', 'Chunks that left the outbox.', counters.confirmedChunks],
    [
      'overdue_chunks_total',
      'counter',
      'Chunks sent again since nobody confirmed them.',
      counters.overdueChunks,
    ],
    ['requests_total', 'counter', 'Ingest requests by outcome.', counters.requests],
    ['database_failures_total', 'counter', 'Connections that failed or broke.', counters.databaseFailures],
  ]
}

function metricLines([name, type, help, samples]: Metric): string {
  const full = `quoin_listener_${name}`
  const lines =
    typeof samples === 'number'
      ? [`${full} ${samples}`]
      : Object.entries(samples).map(([outcome, value]) => `${full}{outcome="${outcome}"} ${value}`)
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines.join('\n')}\n`
}
