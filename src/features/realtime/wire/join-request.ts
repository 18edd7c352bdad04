// The payload of `phx_join`, as clients in the field send it. Source of defaults and leniency: supabase/realtime,
// `lib/realtime_web/channels/payloads`. It takes defaults for what it cannot read, and says so in its own log alone;
// here such a join is refused, as a client that is not told waits for rows that never come.

import * as z from 'zod'
import { encodeUtf8 } from '../../../lib/utf8.ts'
import { readUserToken } from './access-token.ts'
import { isObject } from './is-object.ts'
import { MessageError } from './message-error.ts'
import { TOPIC_BYTES_MAX, TOPIC_PREFIX } from './topic.ts'

export const POSTGRES_CHANGES_MAX = 100
/** In characters: a hundred UUIDs of an `in` take half of it. */
const FILTER_LENGTH_MAX = 8_192
/** In characters: names of Postgres have 63 bytes at most. */
const NAME_LENGTH_MAX = 255
const SELECT_MAX = 100
const PRESENCE_KEY_LENGTH_MAX = 255
const REPLAY_MAX = 25

export interface JoinRequest {
  /** The topic without `realtime:`. */
  readonly channel: string
  readonly broadcast: {
    readonly ack: boolean
    readonly self: boolean
    /** The client waits for the system message that broadcasts from the database arrive. */
    readonly replicationReady: boolean
    /** `since` in milliseconds since 1970, `limit` from 1 to 25. Private channels alone have it. */
    readonly replay?: { readonly since: number; readonly limit: number }
  }
  /** `key` null: the server makes one up. */
  readonly presence: { readonly key: string | null; readonly enabled: boolean }
  readonly postgres_changes: readonly ChangesAsked[]
  readonly isPrivate: boolean
  /** Without one the key's role counts. Not verified yet. */
  readonly accessToken?: string
}

export interface ChangesAsked {
  readonly event: '*' | 'INSERT' | 'UPDATE' | 'DELETE'
  /** `*`: every one. */
  readonly schema: string
  /** `*`: every one. */
  readonly table: string
  readonly filter?: string
  /** Never empty. */
  readonly select?: readonly string[]
  /** The place in the log from which to resume: what comes behind it is wanted. */
  readonly after?: number
  /** As the client wrote them: it compares the reply with them by index. */
  readonly sent: ChangesSent
}

export interface ChangesSent {
  readonly event?: string
  readonly schema?: string
  readonly table?: string
  readonly filter?: string
}

/** What is asked for by joining `topic`. Throws `MessageError`, with the codes of Supabase where it has one. */
export function readJoin(topic: string, payload: unknown): JoinRequest {
  const channel = readTopic(topic)
  const read = JoinPayload.safeParse(payload)
  if (!read.success) throw new MessageError('InvalidJoinPayload', firstProblem(read.error))
  const { config } = read.data
  const { replay, ...broadcast } = config.broadcast
  const accessToken = readUserToken(read.data)
  return {
    channel,
    broadcast:
      replay === undefined ? broadcast : { ...broadcast, replay: readReplay(replay, config.private) },
    presence: config.presence,
    postgres_changes: config.postgres_changes.map(readChanges),
    isPrivate: config.private,
    ...(accessToken === undefined ? {} : { accessToken }),
  }
}

function readTopic(topic: string): string {
  if (!topic.startsWith(TOPIC_PREFIX)) {
    throw new MessageError('UnmatchedTopic', 'unmatched topic: topics begin with realtime:')
  }
  if (topic === TOPIC_PREFIX) throw new MessageError('TopicNameRequired', 'You must provide a topic name')
  if (!topic.isWellFormed() || encodeUtf8(topic).length > TOPIC_BYTES_MAX) {
    throw new MessageError(
      'InvalidTopicName',
      `A topic has up to ${TOPIC_BYTES_MAX} bytes of UTF-8, realtime: included`,
    )
  }
  return topic.slice(TOPIC_PREFIX.length)
}

const expected = (what: string) => ({ error: `expected ${what}` })
const text = (lengthMax: number) =>
  z.string(expected('text')).max(lengthMax, { error: `longer than ${lengthMax} characters` })

/** Also the words in any case, as scripts and .NET send them. Nothing is false. */
const flag = z
  .preprocess(
    value => (typeof value === 'string' ? (FLAG_WORDS[value.toLowerCase()] ?? value) : value),
    z.boolean(expected('true or false')).nullish(),
  )
  .transform(value => value ?? false)
const FLAG_WORDS: Readonly<Record<string, boolean>> = { true: true, false: false }

/** A part that is left out, null, or switched off as a whole by `false`, has its defaults. */
function part<T extends z.ZodType>(schema: T) {
  return z.preprocess(
    value => (value === undefined || value === null || value === false ? {} : value),
    schema,
  )
}

const PLACE = expected('a number of the log, 0 or more, as a number or in digits')

const Changes = z.object(
  {
    event: text(NAME_LENGTH_MAX).nullish(),
    schema: text(NAME_LENGTH_MAX).nullish(),
    table: text(NAME_LENGTH_MAX).nullish(),
    filter: text(FILTER_LENGTH_MAX).nullish(),
    select: z
      .array(text(NAME_LENGTH_MAX), expected('a list of column names, for example ["id", "title"]'))
      .max(SELECT_MAX, { error: `more than ${SELECT_MAX} columns` })
      .nullish(),
    after: z.preprocess(
      value => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
      z.int(PLACE).min(0, PLACE).nullish(),
    ),
  },
  expected('an object with event, schema, table and filter'),
)

/** Clients before the middle of 2025 name a key and say nothing of `enabled`: they want presence. */
const Presence = z.preprocess(
  value => (isObject(value) && 'key' in value && !('enabled' in value) ? { ...value, enabled: true } : value),
  z.object(
    {
      enabled: flag,
      key: z
        .union([text(PRESENCE_KEY_LENGTH_MAX), z.number()], {
          error: `expected text of up to ${PRESENCE_KEY_LENGTH_MAX} characters`,
        })
        .nullish()
        .transform(key => (key === undefined || key === null || key === '' ? null : String(key))),
    },
    expected('an object with enabled and key'),
  ),
)

const Broadcast = z
  .object(
    {
      ack: flag,
      self: flag,
      replication_ready: flag,
      replay: z.record(z.string(), z.unknown(), expected('an object with since and limit')).nullish(),
    },
    expected('an object with ack and self'),
  )
  .transform(({ ack, self, replication_ready, replay }) => ({
    ack,
    self,
    replicationReady: replication_ready,
    replay: replay ?? undefined,
  }))

const Config = z.object(
  {
    broadcast: part(Broadcast),
    presence: part(Presence),
    postgres_changes: z.preprocess(
      value => (Array.isArray(value) ? value.filter(item => item !== null) : (value ?? [])),
      z
        .array(Changes, expected('a list of objects with event, schema, table and filter'))
        .max(POSTGRES_CHANGES_MAX, {
          error: `more than ${POSTGRES_CHANGES_MAX}; join a second channel for the rest`,
        }),
    ),
    private: flag,
  },
  expected('an object with broadcast, presence, postgres_changes and private'),
)

const JoinPayload = z.object(
  {
    config: part(Config),
    access_token: z.string(expected('text')).nullish(),
    user_token: z.string(expected('text')).nullish(),
  },
  expected('an object with config and access_token'),
)

/** The first thing that is wrong, and where; never what was sent. */
function firstProblem(error: z.ZodError): string {
  const [issue] = error.issues
  if (issue === undefined) return 'The payload cannot be read'
  return issue.path.length === 0 ? `payload: ${issue.message}` : `${issue.path.join('.')}: ${issue.message}`
}

const Replay = z.object({ since: z.int().min(0), limit: z.int().nullish() })

function readReplay(replay: unknown, isPrivate: boolean): { since: number; limit: number } {
  if (!isPrivate)
    throw new MessageError('UnableToReplayMessages', 'Replay is not allowed for public channels')
  const read = Replay.safeParse(replay)
  if (!read.success) {
    throw new MessageError(
      'UnableToReplayMessages',
      'Replay params are not valid: since is milliseconds since 1970, limit from 1 to 25',
    )
  }
  const limit = Math.max(1, Math.min(read.data.limit ?? REPLAY_MAX, REPLAY_MAX))
  return { since: read.data.since, limit }
}

function readChanges(asked: z.infer<typeof Changes>, index: number): ChangesAsked {
  const refuse = (text: string) =>
    new MessageError('RealtimeDisabledForConfiguration', `config.postgres_changes.${index}: ${text}`)
  const { event, schema, table, filter, select, after } = asked
  if (schema == null && table == null) {
    throw refuse(
      'No subscription params provided. Please provide at least a `schema` or `table` to subscribe to',
    )
  }
  const condition = filter?.trim() ?? ''
  const isWild = schema === '*' || table == null || table === '*'
  if (isWild && condition !== '') throw refuse('A filter needs an explicit schema and table name')
  if (isWild && select != null && select.length > 0) {
    throw refuse(
      'Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.',
    )
  }
  return {
    event: readEvent(event ?? '*', refuse),
    schema: schema ?? 'public',
    table: table ?? '*',
    ...(condition === '' ? {} : { filter: condition }),
    ...(select == null || select.length === 0 ? {} : { select }),
    ...(after == null ? {} : { after }),
    sent: {
      ...(event == null ? {} : { event }),
      ...(schema == null ? {} : { schema }),
      ...(table == null ? {} : { table }),
      ...(filter == null ? {} : { filter }),
    },
  }
}

function readEvent(event: string, refuse: (text: string) => MessageError): ChangesAsked['event'] {
  const upper = event.toUpperCase()
  if (upper === '*' || upper === 'INSERT' || upper === 'UPDATE' || upper === 'DELETE') return upper
  throw refuse('event is INSERT, UPDATE, DELETE or *')
}
