import { describe, expect, it, test } from 'vitest'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import { type BatchOptions, SqlWire } from '../../../src/db/sql-wire.ts'
import { DomainError } from '../../../src/errors.ts'
import { DeadlinePassed } from '../../../src/lib/deadline.ts'
import {
  BROKEN,
  NO_CONNECTION,
  postgresSaid,
  proxySaid,
  queryCancelled,
  REFUSED_AT_THE_DOOR,
} from '../../support/neon-answers.ts'

const MEBIBYTE = 1024 * 1024
const PIECE_BYTES = 64 * 1024
const TARGET = {
  connectionString: 'postgresql://role:secret@db.internal/quoin',
  gatewayUrl: 'http://gateway',
}
const NEON = { connectionString: 'postgresql://role:secret@ep-x.eu.neon.tech/quoin', gatewayUrl: undefined }
const WRITING = { prepared: true, readOnly: false, timeoutMs: 1_000 }
const READING = { ...WRITING, readOnly: true }
const STATEMENTS = [{ sql: 'select 1', params: [] }]

/** What a batch throws when the endpoint answers so; undefined when it does not throw. */
async function failureOf(
  answer: () => Response,
  options: BatchOptions = WRITING,
  target: typeof TARGET | typeof NEON = TARGET,
) {
  const wire = new SqlWire(target, { fetch: async () => answer() })
  return wire.batch(STATEMENTS, options).then(
    () => undefined,
    (err: unknown) => err,
  )
}

/** Of a batch that was undone, unless said otherwise. */
function refused(fields: object): () => Response {
  return () => new Response(JSON.stringify({ message: 'm', outcome: 'undone', ...fields }), { status: 400 })
}

describe('failures of the connection', () => {
  it('that say nothing in time are of the database, by whatever deadline it was given', async () => {
    const timeouts: number[] = []
    const wire = new SqlWire(TARGET, {
      fetch: () => new Promise(() => undefined),
      deadline: timeoutMs => {
        timeouts.push(timeoutMs)
        return Promise.reject(new DeadlinePassed(timeoutMs))
      },
    })
    const unavailable = { code: 'database_unavailable', message: 'The database does not answer.' }
    await expect(wire.batch(STATEMENTS, READING)).rejects.toMatchObject(unavailable)
    await expect(wire.observed(() => {}).batchForBody(STATEMENTS, READING)).rejects.toMatchObject(unavailable)
    expect(timeouts).toEqual([7_000, 7_000])
  })

  // An attack's first step is to learn where the database is: none of these words may reach a caller.
  it.each([
    [
      '08006',
      'Postgres at /tmp/x/.s.PGSQL.5432 refused the connection: password authentication failed',
      'FATAL',
      null,
    ],
    ['08001', 'cannot reach db.internal:5432', 'FATAL', null],
    ['28P01', 'password authentication failed for user "role"', 'FATAL', 'auth_failed'],
    ['28000', 'no pg_hba.conf entry for host "10.0.0.7"', 'FATAL', 'ClientAuthentication'],
    ['53300', 'all 10 connections are busy', 'ERROR', null],
    ['53300', 'remaining connection slots are reserved', 'FATAL', 'InitPostgres'],
    ['57P01', 'terminating connection due to administrator command', 'FATAL', 'ProcessInterrupts'],
    ['57P02', 'terminating connection because of crash of another server process', 'FATAL', 'quickdie'],
    ['57P03', 'the database system is starting up', 'FATAL', 'ProcessStartupPacket'],
  ])(
    'say one fixed sentence and keep their own for the log (%s, %s)',
    async (code, message, severity, routine) => {
      const failure = await failureOf(
        refused({ code, message, severity, routine, hint: 'internal', detail: 'internal' }),
      )
      expect(failure).toMatchObject({
        code: 'database_unavailable',
        message: 'The database does not answer.',
        hint: expect.stringContaining('GET /v1/status'),
        detail: undefined,
        retryAfterSeconds: 1,
        cause: { code, message },
      })
    },
  )

  it.each([
    [
      '08P01',
      'bind message supplies 1 parameters, but prepared statement "" requires 2',
      'exec_bind_message',
    ],
    ['28000', 'only members may call this', 'exec_stmt_raise'],
    ['57P01', 'said by a function', 'exec_stmt_raise'],
    ['23505', 'duplicate key', '_bt_check_unique'],
    ['57014', 'canceling statement due to statement timeout', 'ProcessInterrupts'],
  ])("are not what the caller's own SQL says (%s, %s)", async (code, message, routine) => {
    const failure = await failureOf(refused({ code, message, severity: 'ERROR', routine }))
    expect(failure).toBeInstanceOf(PostgresError)
    expect(failure).toMatchObject({ code, message })
  })

  it.each([
    ['an answer that is no JSON', () => new Response('<html>', { status: 200 })],
    ['a proxy that fails', () => new Response('bad gateway at 10.0.0.7', { status: 502 })],
    [
      'a fetch that fails',
      (): Response => {
        throw new TypeError('connect ECONNREFUSED 127.0.0.1:4488')
      },
    ],
    [
      'a connection that is lost under the batch',
      refused({ code: '08007', message: 'was lost: /tmp/x', outcome: 'unknown' }),
    ],
    ['a gateway that fails', refused({ code: 'XX000', severity: 'ERROR', outcome: 'unknown' })],
    ['a gateway that does not say', refused({ code: '57014', severity: 'ERROR', outcome: undefined })],
  ])('include %s, and say of a change that it may have been made', async (_what, answer) => {
    const again = { message: 'The database does not answer.', retryAfterSeconds: 1, outcomeUnknown: false }
    const dryRun = { ...WRITING, changesNothing: true }
    for (const options of [READING, dryRun]) {
      const failure = await failureOf(answer, options)
      expect(failure).toBeInstanceOf(DomainError)
      expect(failure).toMatchObject({ code: 'database_unavailable', ...again })
    }
    expect(await failureOf(answer, WRITING)).toMatchObject({
      code: 'database_unavailable',
      message: 'The answer of the database was lost.',
      retryAfterSeconds: undefined,
      outcomeUnknown: true,
      detail: 'If the call changes anything, that may have been done all the same.',
    })
  })
})

// Behind the last statement comes COMMIT: a server that waits there for its replicas may have committed.
test('a server that stops under a change leaves it open whether it was made, unless a statement failed', async () => {
  const stopped = { code: '57P01', message: 'terminating', severity: 'FATAL', routine: 'ProcessInterrupts' }
  const known = await failureOf(refused(stopped), WRITING)
  expect(known).toMatchObject({ code: 'database_unavailable', outcomeUnknown: false, retryAfterSeconds: 1 })
  const atCommit = refused({ ...stopped, outcome: 'unknown' })
  expect(await failureOf(atCommit, WRITING)).toMatchObject({ outcomeUnknown: true })
  expect(await failureOf(atCommit, READING)).toMatchObject({ outcomeUnknown: false, retryAfterSeconds: 1 })
})

// A pooler between the gateway and Postgres speaks for itself, in its own words.
it.each([
  ['08P01', 'server conn crashed?'],
  ['08P01', 'query_wait_timeout'],
  ['3D000', 'no such database: quoin'],
  ['XX000', 'Tenant or user not found'],
])("what ends a session is never the caller's, whoever says it (%s, %s)", async (code, message) => {
  const failure = await failureOf(refused({ code, message, severity: 'FATAL' }), WRITING)
  expect(failure).toMatchObject({ code: 'database_unavailable', outcomeUnknown: false, cause: { message } })
})

describe("Neon's proxy", () => {
  const FATAL = { severity: 'FATAL', routine: 'InitPostgres' }
  const UNDONE = {
    code: 'database_unavailable',
    message: 'The database does not answer.',
    detail: undefined,
    outcomeUnknown: false,
    retryAfterSeconds: 1,
  }
  const UNKNOWN = {
    code: 'database_unavailable',
    message: 'The answer of the database was lost.',
    outcomeUnknown: true,
    retryAfterSeconds: undefined,
  }

  it.each<[string, () => Response]>([
    ...REFUSED_AT_THE_DOOR.map(words => [words, () => proxySaid(words)] as [string, () => Response]),
    ...NO_CONNECTION.map(words => [words, () => proxySaid(words, 500)] as [string, () => Response]),
    ['Query cancelled, connection was terminated', queryCancelled],
    [
      'database "nope" does not exist',
      () => postgresSaid({ ...FATAL, code: '3D000', message: 'database "nope" does not exist' }),
    ],
    [
      'sorry, too many clients already',
      () => postgresSaid({ ...FATAL, code: '53300', message: 'sorry, too many clients already' }, 500),
    ],
  ])('had no connection: nobody is told its words, and nothing was done (%s)', async (words, answer) => {
    const failure = await failureOf(answer, WRITING, NEON)
    expect(failure).toBeInstanceOf(DomainError)
    expect(failure).toMatchObject(UNDONE)
    expect(String((failure as DomainError).cause)).toContain(words)
  })

  // The proxy says the same of a connection that broke in a statement, in COMMIT and behind it.
  it.each<[string, () => Response]>([
    ...BROKEN.map(words => [words, () => proxySaid(words)] as [string, () => Response]),
    ['words of a later version', () => proxySaid('compute went away')],
    [
      'a server that stops',
      () =>
        postgresSaid({
          severity: 'FATAL',
          code: '57P01',
          message: 'terminating',
          routine: 'ProcessInterrupts',
        }),
    ],
    [
      'a server that crashed',
      () => postgresSaid({ severity: 'PANIC', code: 'XX000', message: 'stuck', routine: 'errfinish' }),
    ],
    ['a proxy before the proxy', () => new Response('upstream connect error', { status: 503 })],
    ['an error of HTTP', () => new Response('{"msg":"Shutting down"}', { status: 503 })],
  ])('broke under the batch: a change may have been made (%s)', async (_what, answer) => {
    expect(await failureOf(answer, WRITING, NEON)).toMatchObject(UNKNOWN)
    for (const options of [READING, { ...WRITING, changesNothing: true }])
      expect(await failureOf(answer, options, NEON)).toMatchObject(UNDONE)
  })

  it('has a bound of its own for answers, and rolls back over it', async () => {
    const answer = () => proxySaid('response is too large (max is 10485760 bytes)', 507)
    expect(await failureOf(answer, WRITING, NEON)).toMatchObject({
      code: 'response_too_large',
      message: 'The result is larger than 10 MiB. Nothing was changed.',
    })
    const request = () => proxySaid('request is too large (max is 10485760 bytes)', 413)
    expect(await failureOf(request, WRITING, NEON)).toMatchObject({ code: 'payload_too_large' })
  })

  it.each([
    ['08P01', 'bind message supplies 1 parameters, but prepared statement "" requires 2'],
    ['23505', 'duplicate key'],
    ['57014', 'canceling statement due to statement timeout'],
    ['28000', 'only members may call this'],
  ])("passes on what Postgres says of the caller's SQL (%s)", async (code, message) => {
    const failure = await failureOf(
      () => postgresSaid({ severity: 'ERROR', code, message, routine: 'exec' }),
      WRITING,
      NEON,
    )
    expect(failure).toBeInstanceOf(PostgresError)
    expect(failure).toMatchObject({ code, message })
  })

  it('passes on an SQLSTATE behind megabytes of words', async () => {
    const message = 'x'.repeat(3 * MEBIBYTE)
    const raised = { severity: 'ERROR', code: 'P0001', message, routine: 'exec_stmt_raise' }
    expect(await failureOf(() => postgresSaid(raised), WRITING, NEON)).toMatchObject({ code: 'P0001' })
  })
})

// Our gateway cancels a batch as a whole. On Neon Postgres ends the session, as nothing else would.
describe('the time of a whole batch', () => {
  const bodiesOf = async (options: BatchOptions, target: typeof TARGET | typeof NEON) => {
    const bodies: { queries: { query: string; params: unknown[] }[] }[] = []
    const wire = new SqlWire(target, {
      fetch: async (_url, init) => {
        const { queries } = JSON.parse(String(init.body))
        bodies.push({ queries })
        return Response.json({ results: queries.map(({ query }: { query: string }) => ({ command: query })) })
      },
    })
    return { results: await wire.batch(STATEMENTS, options), queries: bodies[0]?.queries }
  }

  it("is kept by Postgres on Neon, for callers' SQL, and nobody sees the statement for it", async () => {
    const { results, queries } = await bodiesOf({ ...WRITING, prepared: false }, NEON)
    expect(queries).toMatchObject([
      { query: expect.stringContaining('transaction_timeout'), params: ['1250'] },
      { query: 'select 1' },
    ])
    expect(results).toEqual([{ command: 'select 1' }])
    for (const [options, target] of [
      [WRITING, NEON],
      [{ ...WRITING, prepared: false }, TARGET],
    ] as const)
      expect((await bodiesOf(options, target)).queries).toHaveLength(1)
  })

  it.each([NEON, TARGET])('is a statement over its time when it is up (%o)', async target => {
    const fields = { severity: 'FATAL', code: '25P04', routine: 'ProcessInterrupts' }
    const message = 'terminating connection due to transaction timeout'
    const failure = await failureOf(() => postgresSaid({ ...fields, message }), WRITING, target)
    expect(failure).toBeInstanceOf(PostgresError)
    expect(failure).toMatchObject({ code: '57014', message: expect.not.stringContaining('connection') })
  })
})

test("a caller's share that is taken is said as such, and only by the gateway", async () => {
  const taken = { code: '53400', message: 'all are busy', detail: 'one caller may hold 3' }
  expect(await failureOf(refused(taken))).toMatchObject({
    code: 'too_many_calls',
    detail: 'all are busy. one caller may hold 3',
    retryAfterSeconds: 1,
  })
  const own = await failureOf(refused({ ...taken, severity: 'ERROR', routine: 'exec_stmt_raise' }))
  expect(own).toBeInstanceOf(PostgresError)
})

describe('answers that are too large', () => {
  const sizeOf = (bytes: number) => `{"results":[],"x":"${'x'.repeat(bytes)}"}`
  /** A body whose length nobody announces, as Neon sends it. */
  const streamed = (text: string, onCancel = () => {}) => {
    const bytes = new TextEncoder().encode(text)
    let at = 0
    return new Response(
      new ReadableStream({
        pull(controller) {
          if (at >= bytes.length) return controller.close()
          controller.enqueue(bytes.subarray(at, at + PIECE_BYTES))
          at += PIECE_BYTES
        },
        cancel: onCancel,
      }),
    )
  }

  test('are refused by the gateway, which is told the bound of what is parsed', async () => {
    let asked: HeadersInit | undefined
    const wire = new SqlWire(TARGET, {
      fetch: async (_url, init) => {
        asked = init.headers
        return new Response('{"results":[]}')
      },
    })
    await wire.batch(STATEMENTS, WRITING)
    expect(new Headers(asked).get('quoin-result-bytes-max')).toBe(String(16 * MEBIBYTE))
    await wire.batchForBody(STATEMENTS, WRITING)
    expect(new Headers(asked).get('quoin-result-bytes-max')).toBeNull()
  })

  it.each([
    [WRITING, 'undone', 'The result is larger than 16 MiB. Nothing was changed.'],
    [
      WRITING,
      'committed',
      'The result is larger than 16 MiB. The transaction was committed all the same: what it wrote stays.',
    ],
    [READING, 'committed', 'The result is larger than 16 MiB. Nothing was changed.'],
  ])('say whether what they wrote stays (%o, %s)', async (options, outcome, message) => {
    const fields = { code: '54000', severity: 'ERROR', outcome, bytesMax: 16 * MEBIBYTE }
    expect(await failureOf(refused(fields), options)).toMatchObject({
      code: 'response_too_large',
      message,
      hint: expect.stringContaining('row_limit'),
    })
  })

  // The attack: a function raises what the gateway says, and whoever believes it sends the call again, or never.
  test.each(['54000', '08007', '53400', 'P0001'])('are not what SQL itself says (%s)', async code => {
    const message = 'result larger than 5 bytes, and committed'
    const detail = 'The batch was committed.'
    const raised = { code, severity: 'ERROR', routine: 'exec_stmt_raise', message, detail }
    for (const outcome of ['undone', undefined])
      expect(await failureOf(refused({ ...raised, outcome }))).toMatchObject({ code, message, detail })
    expect(await failureOf(refused(raised))).toBeInstanceOf(PostgresError)
  })

  test('are given up while they come, without waiting for their end', async () => {
    let isCancelled = false
    const endless = () =>
      streamed(sizeOf(40 * MEBIBYTE), () => {
        isCancelled = true
      })
    expect(await failureOf(endless, WRITING, NEON)).toMatchObject({
      code: 'response_too_large',
      message: expect.stringContaining('was committed'),
    })
    expect(isCancelled).toBe(true)
  })

  test('are given up by what they announce', async () => {
    const announced = () =>
      new Response(sizeOf(10), { headers: { 'content-length': String(16 * MEBIBYTE + 1) } })
    expect(await failureOf(announced, READING)).toMatchObject({ code: 'response_too_large' })
    expect(await failureOf(() => streamed(sizeOf(15 * MEBIBYTE)), READING, NEON)).toBeUndefined()
  })

  test('are read character by character however the pieces fall', async () => {
    const text = JSON.stringify({ results: [{ rows: [[`${'x'.repeat(65_520)}€🐘`.repeat(4)]] }] })
    const wire = new SqlWire(NEON, { fetch: async () => streamed(text) })
    const [result] = await wire.batch(STATEMENTS, READING)
    expect(result?.rows[0]?.[0]).toBe(`${'x'.repeat(65_520)}€🐘`.repeat(4))
  })
})
