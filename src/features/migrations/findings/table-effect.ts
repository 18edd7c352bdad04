// What a statement does to a table that others use: its lock, and how long it holds it. Pure.

/** The lock modes, from the weakest, by the names of Postgres' documentation ("Explicit Locking"). */
export const LOCK_MODES = [
  'ACCESS SHARE',
  'ROW SHARE',
  'ROW EXCLUSIVE',
  'SHARE UPDATE EXCLUSIVE',
  'SHARE',
  'SHARE ROW EXCLUSIVE',
  'EXCLUSIVE',
  'ACCESS EXCLUSIVE',
] as const
export type LockMode = (typeof LOCK_MODES)[number]

export const BLOCKS = ['reads_and_writes', 'writes', 'nothing'] as const
export type Blocks = (typeof BLOCKS)[number]

/** `depends`: on what only the database knows, such as a column's type now. */
export type Certainty = 'no' | 'depends' | 'yes'

/** A table, index, view or sequence as it is named in the SQL. */
export interface RelationName {
  readonly schema: string | undefined
  readonly name: string
}

/** What of a table loses or checks its foreign keys; the table at the other end of each is locked too. */
export type ForeignKeyEnd =
  | { readonly of: 'table' }
  /** `type`: of the column, which is checked again. */
  | { readonly of: 'column' | 'constraint' | 'type'; readonly name: string }

export interface TableEffect {
  /** Undefined for tables that the statement does not name. */
  readonly relation: RelationName | undefined
  /** The strongest lock on the table or on one of its indexes. */
  readonly lock: LockMode
  /** What the lock keeps others from, or what else does. */
  readonly blocks: Blocks
  /** Whether all rows are copied into new files. */
  readonly rewrites: Certainty
  /** Whether all rows are read while the lock is held. */
  readonly scans: Certainty
  /** The sentence, without a full stop, on what is lost for good; undefined when nothing is. */
  readonly loses: string | undefined
  /** The safer form; undefined where there is none, or where this is it. */
  readonly safer: string | undefined
  readonly severed: readonly ForeignKeyEnd[]
}

export type EffectDetails = Partial<Omit<TableEffect, 'relation' | 'lock'>>

/** A lock that needs no work while it is held, unless `details` say otherwise. */
export function lockOn(
  relation: RelationName | undefined,
  lock: LockMode,
  details: EffectDetails = {},
): TableEffect {
  const nothing = { rewrites: 'no', scans: 'no', loses: undefined, safer: undefined } as const
  return { relation, lock, blocks: blockedBy(lock), ...nothing, severed: [], ...details }
}

/** Readers take ACCESS SHARE, which ACCESS EXCLUSIVE alone conflicts with; writers ROW EXCLUSIVE. */
function blockedBy(lock: LockMode): Blocks {
  if (lock === 'ACCESS EXCLUSIVE') return 'reads_and_writes'
  return LOCK_MODES.indexOf(lock) >= LOCK_MODES.indexOf('SHARE') ? 'writes' : 'nothing'
}

/** Whether it is worth telling: others wait, rows are read or copied, or data is lost. */
export function isWorthTelling({ blocks, rewrites, scans, loses }: TableEffect): boolean {
  return blocks !== 'nothing' || rewrites !== 'no' || scans !== 'no' || loses !== undefined
}

/** One effect on each table, in order of appearance: the strongest lock, and the worst of the rest. */
export function mergeEffects(effects: readonly TableEffect[]): TableEffect[] {
  const byTable = Map.groupBy(effects, ({ relation }) => JSON.stringify([relation?.schema, relation?.name]))
  return Array.from(byTable.values(), worst)
}

/** Of the same table. A statement may have thousands: each is looked at once. */
function worst(effects: readonly TableEffect[]): TableEffect {
  const [first] = effects as [TableEffect]
  if (effects.length === 1) return first
  const locks = effects.map(({ lock }) => LOCK_MODES.indexOf(lock))
  return {
    relation: first.relation,
    lock: LOCK_MODES[Math.max(...locks)] ?? first.lock,
    blocks: effects.map(({ blocks }) => blocks).reduce(worseBlocks),
    rewrites: effects.map(({ rewrites }) => rewrites).reduce(worseCertainty),
    scans: effects.map(({ scans }) => scans).reduce(worseCertainty),
    loses: joined(effects, 'loses', '; '),
    safer: joined(effects, 'safer', ' '),
    severed: effects.flatMap(({ severed }) => severed),
  }
}

export function worseBlocks(one: Blocks, other: Blocks): Blocks {
  return BLOCKS.indexOf(one) <= BLOCKS.indexOf(other) ? one : other
}

export function worseCertainty(one: Certainty, other: Certainty): Certainty {
  if (one === 'yes' || other === 'yes') return 'yes'
  return one === 'depends' || other === 'depends' ? 'depends' : 'no'
}

function joined(
  effects: readonly TableEffect[],
  field: 'loses' | 'safer',
  between: string,
): string | undefined {
  const texts = new Set(effects.map(effect => effect[field]).filter(text => text !== undefined))
  return texts.size === 0 ? undefined : [...texts].join(between)
}
