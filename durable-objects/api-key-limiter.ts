// One object per API key, named by the key's SHA-256: answers "who is this key, and may it call now" in one call.
// Holds the I/O alone: what follows from what stands in features/api-keys, and is pure.

import { DurableObject } from 'cloudflare:workers'
import { parseConfig } from '../src/config.ts'
import type { PlatformDatabase } from '../src/db/database.ts'
import type { Statement } from '../src/db/sql.ts'
import { type Env, platformDatabase } from '../src/deps.ts'
import { AddressCounts } from '../src/features/api-keys/limit/address-counts.ts'
import type {
  Admission,
  Confirmation,
  LotAsk,
  RateLimitState,
} from '../src/features/api-keys/limit/admission.ts'
import type { KeyLimiter, Retirement } from '../src/features/api-keys/limit/key-limiter.ts'
import {
  isOver,
  type KnownKey,
  type LimiterFacts,
  lastFinalMinute,
  nextHousekeepingMs,
  standingOf,
  toKnownKey,
  withRow,
} from '../src/features/api-keys/limit/limiter-state.ts'
import { LotLedger } from '../src/features/api-keys/limit/lot-ledger.ts'
import { type Bucket, SlidingWindow } from '../src/features/api-keys/limit/window.ts'
import { type KeyRow, predecessorRetiresAtMs } from '../src/features/api-keys/record/key-row.ts'
import { findKeyByHash, touchKeyStatement } from '../src/features/api-keys/record/key-store.ts'
import type { ApiKey } from '../src/features/api-keys/record/schemas.ts'
import { usageStatements } from '../src/features/usage/usage-store.ts'
import { sharedDeadline } from '../src/lib/deadline.ts'
import { LimiterStorage } from './limiter-storage.ts'

/** Once the key's row is so old it is read again, behind the request that finds it so. */
const ROW_FRESH_MS = 45_000
/** How old the row may be that lets a request in: a key that rested is read in front of its first request. */
const ROW_KEPT_MS = 60_000
/** That request waits no longer, then goes on with what is known. */
const REREAD_TIMEOUT_MS = 1_000
/** How long an unknown key stays unknown. */
const UNKNOWN_MS = 60_000
/** A request waits no longer for the row of a key that nobody knows; the trip itself may take three times as long. */
const READ_TIMEOUT_MS = 5_000
/** Pause after a reading that failed: known keys go on with what is known. */
const READ_RETRY_MS = 10_000

/** Longer than a bucket and a lot live; shorter than an idle object does. */
const SETTLE_AFTER_MS = 2_000

const REFUSED: Admission = { outcome: 'refused' }
const UNKNOWN: Admission = { outcome: 'unknown' }

export class ApiKeyLimiter extends DurableObject<Env> implements KeyLimiter {
  readonly #hash: string
  readonly #limitDefault: number
  readonly #deadline = sharedDeadline()
  readonly #platform: PlatformDatabase
  readonly #storage: LimiterStorage
  #window: SlidingWindow
  #lots = new LotLedger()
  /** Lost with an eviction: the limit of an address is a guard within the key's, which is exact. */
  readonly #addresses = new AddressCounts()
  #facts: LimiterFacts
  #known: KnownKey | undefined
  /** Grows when somebody tells this object something, so that a reading begun before cannot undo it. */
  #tellings = 0
  #unknownUntilMs = 0
  #readAgainAtMs = 0
  #reading: Promise<void> | undefined
  #alarmAtMs = 0
  #touchedMs = 0
  #isSettling = false

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const config = parseConfig(env)
    this.#limitDefault = config.rateLimitPerMinute
    this.#platform = platformDatabase(config, this.#deadline)
    // Reading is synchronous, so no request can come in between and `blockConcurrencyWhile` is not needed.
    this.#storage = new LimiterStorage(ctx.storage)
    this.#facts = this.#storage.readFacts() ?? {}
    this.#known = this.#facts.row && toKnownKey(this.#facts.row, this.#limitDefault)
    // An alarm may wake the object under its id alone.
    const hash = ctx.id.name ?? this.#facts.row?.key_hash ?? this.#storage.readCounted()?.keyHash
    if (hash === undefined) throw new Error('a limiter is found by the hash of its key, never by an id')
    this.#hash = hash
    const counted = this.#storage.readCounted()
    this.#window = new SlidingWindow(
      this.#known?.limit ?? this.#limitDefault,
      this.#storage,
      this.#storage.readBuckets(),
      counted === undefined ? 0 : (counted.minute + 1) * 60_000,
    )
  }

  async admit(address: string, ask?: LotAsk): Promise<Admission> {
    const admission = await this.#admit(address, false)
    // A replaced key counts in its successor's window: lots out of this one would be a second allowance. And whoever
    // has a lot does not say from which address its permits are used.
    const mayGiveLots = this.#facts.retirement === undefined && this.#known?.limitPerAddress === undefined
    if (ask === undefined) return this.#settledSoon(admission)
    this.#lots.settle(ask.settled, this.#window, Date.now())
    if (!mayGiveLots) return this.#settledSoon(admission)
    return this.#settledSoon(this.#lots.answer(admission, ask.wanted, this.#window, Date.now()))
  }

  async confirm(isForPredecessor = false): Promise<Confirmation> {
    const nowMs = Date.now()
    if (standingOf(this.#facts, this.#known, nowMs) === 'unread') {
      const isRead = await this.#deadline(READ_TIMEOUT_MS, this.#read()).then(
        () => true,
        () => false,
      )
      if (!isRead) return 'unavailable'
    } else if (nowMs >= this.#readAgainAtMs) await this.#readAgain(nowMs)
    const standing = standingOf(this.#facts, this.#known, Date.now())
    const { retirement } = this.#facts
    if (standing === 'retiring' && retirement !== undefined && !isForPredecessor)
      return this.#limiterOf(retirement.successorHash).confirm(true)
    if (standing === 'project_paused') return standing
    return standing === 'valid' ? 'good' : 'refused'
  }

  async settle(settled: LotAsk['settled']): Promise<void> {
    this.#lots.settle(settled, this.#window, Date.now())
  }

  async admitForPredecessor(address: string): Promise<Admission> {
    return this.#settledSoon(await this.#admit(address, true))
  }

  async learn(row: KeyRow): Promise<void> {
    this.#tellings += 1
    await this.#accept(row)
  }

  async revoke(): Promise<void> {
    this.#tellings += 1
    this.#setFacts({ ...this.#facts, isRevoked: true })
  }

  async retire(retirement: Retirement): Promise<Bucket[]> {
    this.#tellings += 1
    this.#setRetirement(retirement)
    return this.#window.liveBuckets(Date.now())
  }

  /** Housekeeping. A failure is logged and tried again at the next minute: the runtime's own retries would give up. */
  override async alarm(): Promise<void> {
    this.#alarmAtMs = 0
    try {
      if (await this.#keepHouse(Date.now())) this.#scheduleHousekeeping(Date.now())
    } catch (err) {
      logFailure('housekeeping failed', err)
      this.#scheduleHousekeeping(Date.now())
    }
  }

  async #admit(address: string, isForPredecessor: boolean): Promise<Admission> {
    const nowMs = Date.now()
    const isUnread = standingOf(this.#facts, this.#known, nowMs) === 'unread'
    if (!isUnread) {
      if (nowMs >= this.#readAgainAtMs && this.#facts.row) await this.#readAgain(nowMs)
      return this.#decide(Date.now(), address, isForPredecessor)
    }
    if (nowMs < this.#unknownUntilMs) return UNKNOWN
    try {
      await this.#deadline(READ_TIMEOUT_MS, this.#read())
    } catch (err) {
      logFailure('a key could not be read', err)
      return { outcome: 'unavailable' }
    }
    return this.#decide(Date.now(), address, isForPredecessor)
  }

  async #decide(nowMs: number, address: string, isForPredecessor: boolean): Promise<Admission> {
    const standing = standingOf(this.#facts, this.#known, nowMs)
    if (standing === 'retiring' && !isForPredecessor) return this.#askSuccessor(address)
    if (standing === 'unread') return UNKNOWN
    if (this.#known === undefined || (standing !== 'valid' && standing !== 'project_paused')) return REFUSED
    const { key, limitPerAddress } = this.#known
    if (standing === 'project_paused') {
      return { outcome: 'project_paused', key, rateLimit: this.#window.state(nowMs) }
    }
    // First of all the address: what is refused there must not use up what others share.
    const ofAddress = limitPerAddress && this.#addresses.state(address, limitPerAddress, nowMs)
    if (ofAddress && ofAddress.remaining === 0) return rateLimited(key, ofAddress, 'address')
    const isAdmitted = this.#window.tryAdmit(nowMs)
    const ofKey = this.#window.state(nowMs)
    if (!isAdmitted) return rateLimited(key, ofKey, 'key')
    if (this.#alarmAtMs <= nowMs) this.#scheduleHousekeeping(nowMs)
    if (!limitPerAddress) return { outcome: 'admitted', key, rateLimit: ofKey }
    this.#addresses.add(address, nowMs)
    const left = this.#addresses.state(address, limitPerAddress, nowMs)
    return { outcome: 'admitted', key, rateLimit: left.remaining < ofKey.remaining ? left : ofKey }
  }

  /** One step only: a key whose successor was itself replaced is dead, as the database has it. */
  async #askSuccessor(address: string): Promise<Admission> {
    const { retirement } = this.#facts
    if (retirement === undefined) return REFUSED
    return this.#limiterOf(retirement.successorHash).admitForPredecessor(address)
  }

  /** Waits for the reading only where the row is too old to let anybody in by it, and not for long. */
  async #readAgain(nowMs: number): Promise<void> {
    this.#readAgainAtMs = nowMs + READ_RETRY_MS
    const reading = this.#read().catch(err => logFailure('a key could not be read again', err))
    this.ctx.waitUntil(reading)
    if (nowMs - (this.#facts.knownAtMs ?? 0) < ROW_KEPT_MS) return
    await this.#deadline(REREAD_TIMEOUT_MS, reading).catch(() => undefined)
  }

  /** All who wait share one reading. */
  #read(): Promise<void> {
    this.#reading ??= this.#readRow().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readRow(): Promise<void> {
    const tellingsBefore = this.#tellings
    const row = await findKeyByHash(this.#platform, this.#hash)
    this.#readAgainAtMs = Date.now() + ROW_FRESH_MS
    if (row !== undefined) await this.#accept(row)
    else if (tellingsBefore === this.#tellings) await this.#forget()
  }

  /** Takes a row as the truth unless a newer one is known. Takes over the window of the key before first. */
  async #accept(row: KeyRow): Promise<void> {
    if (row.key_hash !== this.#hash) {
      this.#setRetirement({ successorHash: row.key_hash, retiresAtMs: predecessorRetiresAtMs(row) })
      return
    }
    const { previous_key_hash: predecessor } = row
    if (predecessor === null || this.#facts.adoptedFrom === predecessor) {
      this.#setFacts(withRow(this.#facts, row, Date.now()))
      return
    }
    const retirement = { successorHash: this.#hash, retiresAtMs: predecessorRetiresAtMs(row) }
    const buckets = await this.#limiterOf(predecessor).retire(retirement)
    // Two readings may have come here at once: only the first counts the buckets.
    const isFirst = this.#facts.adoptedFrom !== predecessor
    this.#setFacts(withRow({ ...this.#facts, adoptedFrom: predecessor }, row, Date.now()))
    if (!isFirst) return
    this.#storage.noteAdopted([...buckets])
    this.#window.adopt([...buckets], Date.now())
  }

  async #forget(): Promise<void> {
    this.#unknownUntilMs = Date.now() + UNKNOWN_MS
    // What was told is final; only a row that came from the database can be taken back by it.
    if (this.#facts.row === undefined || this.#facts.isRevoked || this.#facts.retirement) return
    const minute = Math.floor(Date.now() / 60_000)
    this.#countUsage(minute)
    this.#facts = {}
    this.#known = undefined
    // What comes back of lots is nobody's.
    this.#lots = new LotLedger()
    this.#window = new SlidingWindow(this.#limitDefault, this.#storage, [], (minute + 1) * 60_000)
    this.#storage.clearKey()
    if (this.#storage.isUsed()) this.#scheduleHousekeeping(Date.now())
    else await this.#storage.clear()
  }

  #setRetirement(retirement: Retirement): void {
    this.#setFacts({ ...this.#facts, retirement })
    this.#scheduleHousekeeping(Date.now())
  }

  #setFacts(facts: LimiterFacts): void {
    if (facts === this.#facts) return
    this.#facts = facts
    this.#storage.writeFacts(facts)
    if (facts.row === undefined) return
    this.#known = toKnownKey(facts.row, this.#limitDefault)
    this.#window.setLimit(this.#known.limit)
  }

  /** True while there is something left to do at the next minute. */
  async #keepHouse(nowMs: number): Promise<boolean> {
    // First what needs no database: while that is down, the buckets must not pile up.
    this.#window.settle(nowMs)
    this.#countUsage(lastFinalMinute(nowMs))
    this.#storage.clearExpired(nowMs)
    await this.#tellDatabase()
    if (this.#storage.isUsed()) return true
    const { row, retirement } = this.#facts
    const isForgotten = row === undefined && retirement === undefined && !this.#facts.isRevoked
    if (!isForgotten && !isOver(this.#facts, nowMs)) return retirement !== undefined && !this.#facts.isRevoked
    this.#facts = {}
    this.#known = undefined
    await this.#storage.clear()
    return false
  }

  /** Adds the buckets up to minutes, to the end of this one. */
  #countUsage(minute: number): void {
    const { row } = this.#facts
    if (row !== undefined) this.#storage.countUsage({ keyId: row.id, keyHash: this.#hash, minute })
  }

  /** An object may be evicted seconds after its last request; usage is what its journal holds then. */
  #settledSoon(admission: Admission): Admission {
    if (!this.#isSettling && this.#window.isAhead()) {
      this.#isSettling = true
      this.ctx.waitUntil(this.#settleJournal())
    }
    return admission
  }

  async #settleJournal(): Promise<void> {
    await new Promise(resolve => setTimeout(resolve, SETTLE_AFTER_MS))
    this.#isSettling = false
    this.#window.settle(Date.now())
  }

  /** When the key was last used, and how often in the minutes that are over. */
  async #tellDatabase(): Promise<void> {
    const counted = this.#storage.readCounted()
    const keyId = this.#facts.row?.id ?? counted?.keyId
    if (keyId === undefined) return
    const usedMs = this.#window.lastAdmittedMs() ?? 0
    const minutes = this.#storage.readUsedMinutes()
    const statements: Statement[] = []
    if (usedMs > this.#touchedMs) statements.push(touchKeyStatement(keyId, new Date(usedMs)))
    const last = minutes.at(-1)
    if (last !== undefined && counted !== undefined)
      statements.push(...usageStatements({ keyId, keyHash: this.#hash, minutes, total: counted.total }))
    if (statements.length === 0) return
    await this.#platform.transaction(statements)
    this.#touchedMs = usedMs
    if (last !== undefined) this.#storage.clearUsedMinutes(last.minute)
  }

  #scheduleHousekeeping(nowMs: number): void {
    this.#alarmAtMs = nextHousekeepingMs(this.#hash, nowMs)
    this.ctx.waitUntil(this.ctx.storage.setAlarm(this.#alarmAtMs))
  }

  #limiterOf(keyHash: string): KeyLimiter {
    return this.env.API_KEY_LIMITER.getByName(keyHash)
  }
}

function rateLimited(key: ApiKey, rateLimit: RateLimitState, limited: 'key' | 'address'): Admission {
  const retryAfterSeconds = Math.max(1, rateLimit.resetSeconds)
  return { outcome: 'rate_limited', key, rateLimit, retryAfterSeconds, limited }
}

/** Names what failed, never a key or its hash. */
function logFailure(message: string, err: unknown): void {
  console.error(JSON.stringify({ level: 'error', component: 'api-key-limiter', message, cause: String(err) }))
}
