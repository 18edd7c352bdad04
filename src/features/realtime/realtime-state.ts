// What `GET /v1/realtime` tells: the shape.

import * as z from 'zod'

const count = z.int()

const LogFacts = z.object({
  head: count.describe('number of the newest change'),
  oldest_after: count.describe('the oldest number that a join can name as `after`'),
  oldest_occurred_at: z
    .string()
    .nullable()
    .describe('when the oldest kept change was made; null: none is kept'),
  entries: count,
  bytes: count,
  changes_per_second: z.array(count).describe('of the last 60 seconds, oldest first'),
})

const ProjectFacts = z.object({
  project_id: z.string(),
  status: z.enum(['ok', 'behind', 'unavailable']),
  connections: count.nullable().describe('null, as all below: its hub did not answer'),
  channels: count.nullable(),
  position: count.nullable().describe('everything up to this number of the log was told'),
})

const ChannelFacts = z.object({
  project_id: z.string(),
  topic: z.string(),
  private: z.boolean(),
  members: count.describe('sockets that joined it'),
  present: count.describe('keys that are present in it'),
})

const SubscriptionFacts = z.object({
  project_id: z.string(),
  table_schema: z.string().nullable().describe('null: the table is gone, or the database does not answer'),
  table_name: z.string().nullable(),
  subscribers: count,
  classes: count.describe('subscribers with the same role and claims are one, and cost one question'),
})

const Counts = z.object({
  changes: count,
  statements: count.describe('questions to the database about who sees what'),
  deliveries: count.describe('frames that were sent'),
  messages: count.describe('broadcasts and presence that came in'),
  refetches: count.describe('clients that were told to read again'),
})

const Limits = z.object({
  sockets_per_key: count,
  sockets_per_address: count,
  channels_per_socket: count,
  messages_per_second: count,
  message_bytes_max: count,
  deliveries_per_second: count,
})

export const RealtimeQuery = z.strictObject({
  project_id: z
    .uuid()
    .optional()
    .describe(
      'whose sockets: a key’s own project, or for a session all that follow something, fifty at most',
    ),
})

export const RealtimeState = z
  .object({
    status: z
      .enum(['ok', 'behind', 'unavailable'])
      .describe('behind: more than 1 000 changes are yet to be told; unavailable: a part does not answer'),
    problems: z.array(z.string()).describe('what is wrong; empty where status is ok'),
    log: LogFacts.nullable().describe('of all projects; null: it does not answer'),
    projects: z.array(ProjectFacts),
    projects_left_out: count.nullable().describe('with sockets and not among them; null: nobody knows'),
    connections: count.nullable().describe('of those projects that answered; null: none did'),
    channels: count.nullable(),
    topics: z.array(ChannelFacts).describe('the largest, a hundred at most'),
    subscriptions: z.array(SubscriptionFacts),
    position: count.nullable().describe('all of them were told everything up to this number of the log'),
    counts: Counts.nullable().describe('since the objects of the projects woke up last'),
    statements_per_change: z.number().nullable().describe('null: there was no change'),
    limits: Limits,
  })
  .meta({
    id: 'RealtimeState',
    examples: [
      {
        status: 'ok',
        problems: [],
        log: {
          head: 5_120,
          oldest_after: 0,
          oldest_occurred_at: '2026-01-31T11:02:04.000Z',
          entries: 5_120,
          bytes: 1_843_200,
          changes_per_second: Array.from({ length: 60 }, () => 0),
        },
        projects: [
          {
            project_id: '018f4a3e-1c2b-7d3e-8f4a-5b6c7d8e9f0a',
            status: 'ok',
            connections: 3,
            channels: 4,
            position: 5_120,
          },
        ],
        projects_left_out: 0,
        connections: 3,
        channels: 4,
        topics: [
          {
            project_id: '018f4a3e-1c2b-7d3e-8f4a-5b6c7d8e9f0a',
            topic: 'room:7',
            private: true,
            members: 2,
            present: 2,
          },
        ],
        subscriptions: [
          {
            project_id: '018f4a3e-1c2b-7d3e-8f4a-5b6c7d8e9f0a',
            table_schema: 'public',
            table_name: 'todos',
            subscribers: 2,
            classes: 1,
          },
        ],
        position: 5_120,
        counts: { changes: 40, statements: 38, deliveries: 132, messages: 12, refetches: 0 },
        statements_per_change: 0.95,
        limits: {
          sockets_per_key: 200,
          sockets_per_address: 20,
          channels_per_socket: 100,
          messages_per_second: 100,
          message_bytes_max: 262_144,
          deliveries_per_second: 10_000,
        },
      },
    ],
  })
export type RealtimeState = z.infer<typeof RealtimeState>
