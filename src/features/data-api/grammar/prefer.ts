// Parses `Prefer` (RFC 7240) and says which preferences were honoured. Pure.

import { DomainError } from '../../../errors.ts'
import type { Dialect } from '../dialect.ts'

/** The preferences of one request; undefined where none was sent. */
export interface Preferences {
  readonly resolution: 'merge-duplicates' | 'ignore-duplicates' | undefined
  readonly missing: 'default' | 'null' | undefined
  readonly return: 'representation' | 'minimal' | 'headers-only' | undefined
  readonly count: 'exact' | 'planned' | 'estimated' | undefined
  readonly tx: 'commit' | 'rollback' | undefined
  readonly handling: 'strict' | 'lenient' | undefined
  readonly timezone: string | undefined
  readonly maxAffected: number | undefined
}

/** The allowed values of each preference that has a closed list, in the order of `Preference-Applied`. */
const CHOICES = {
  resolution: ['merge-duplicates', 'ignore-duplicates'],
  missing: ['default', 'null'],
  return: ['representation', 'minimal', 'headers-only'],
  count: ['exact', 'planned', 'estimated'],
  tx: ['commit', 'rollback'],
  handling: ['strict', 'lenient'],
} as const

/** The order of `Preference-Applied`. */
const APPLIED_ORDER: readonly (keyof Preferences)[] = [
  'resolution',
  'missing',
  'return',
  'count',
  'tx',
  'handling',
  'timezone',
  'maxAffected',
]

/** What every insert, update and delete honours. */
export const WRITE_PREFERENCES = ['return', 'count', 'tx', 'handling', 'timezone'] as const

const KNOWN = [...Object.keys(CHOICES), 'timezone', 'max-affected']

const NO_PREFERENCES: Preferences = {
  resolution: undefined,
  missing: undefined,
  return: undefined,
  count: undefined,
  tx: undefined,
  handling: undefined,
  timezone: undefined,
  maxAffected: undefined,
}

/** Reads the header; of a preference sent twice the first counts. Throws `invalid_preference`. */
export function parsePrefer(header: string | null, dialect: Dialect): Preferences {
  if (header === null) return NO_PREFERENCES
  const sent = splitPrefer(header)
  const isStrict = sent.get('handling') === 'strict'
  const bad = [...sent].filter(([name, value]) => !isValid(name, value))
  const refused = isStrict ? bad : bad.filter(([name]) => dialect.isPreferStrict && KNOWN.includes(name))
  if (refused.length > 0) throw invalidPreferences(refused)
  const valid = (name: string) => {
    const value = sent.get(name) ?? ''
    return isValid(name, value) ? value : undefined
  }
  const maxAffected = valid('max-affected')
  return {
    resolution: choose('resolution', sent),
    missing: choose('missing', sent),
    return: choose('return', sent),
    count: choose('count', sent),
    tx: choose('tx', sent),
    handling: choose('handling', sent),
    timezone: valid('timezone'),
    maxAffected:
      maxAffected === undefined || (dialect.maxAffectedNeedsStrict && !isStrict)
        ? undefined
        : Number(maxAffected),
  }
}

/** `Preference-Applied` for those preferences of the request that the verb honoured; undefined for none. */
export function preferenceApplied(
  preferences: Preferences,
  honoured: readonly (keyof Preferences)[],
): string | undefined {
  if (preferences === NO_PREFERENCES) return undefined
  const applied = APPLIED_ORDER.filter(
    name => preferences[name] !== undefined && honoured.includes(name),
  ).map(name => `${name === 'maxAffected' ? 'max-affected' : name}=${preferences[name]}`)
  return applied.length > 0 ? applied.join(', ') : undefined
}

function splitPrefer(header: string): Map<string, string> {
  const sent = new Map<string, string>()
  for (const part of header.split(',')) {
    const [name = '', ...rest] = part.trim().split('=')
    if (name === '' || sent.has(name.trim().toLowerCase())) continue
    sent.set(
      name.trim().toLowerCase(),
      rest
        .join('=')
        .trim()
        .replace(/^"(.*)"$/, '$1'),
    )
  }
  return sent
}

function isValid(name: string, value: string): boolean {
  if (isChoiceName(name)) return CHOICES[name].some(choice => choice === value)
  if (name === 'timezone') return isZoneName(value)
  return name === 'max-affected' && /^\d{1,9}$/.test(value)
}

/**
 * What a name may be made of. The runtime takes offsets too, which begin with a sign, and `SystemV/PST8` and the like:
 * they are no names of the IANA database, and Postgres would read a rule in them.
 */
const ZONE_NAME = /^(?!systemv\/)[a-z][a-z0-9_+/-]{1,63}$/i

/**
 * Whether it names a zone of the IANA database, from -12 to +14 hours. Postgres itself takes any offset too (`X-167`),
 * and with it a week ahead a stranger would see what `publish_on <= current_date` keeps back.
 */
function isZoneName(value: string): boolean {
  if (!ZONE_NAME.test(value)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    return true
  } catch {
    // A RangeError: no zone of this name is known.
    return false
  }
}

function isChoiceName(name: string): name is keyof typeof CHOICES {
  return Object.hasOwn(CHOICES, name)
}

function choose<Name extends keyof typeof CHOICES>(
  name: Name,
  sent: Map<string, string>,
): (typeof CHOICES)[Name][number] | undefined {
  return CHOICES[name].find(choice => choice === sent.get(name))
}

function invalidPreferences(refused: [string, string][]): DomainError {
  const list = refused.map(([name, value]) => (value === '' ? name : `${name}=${value}`))
  const choices = Object.entries(CHOICES).map(([name, values]) => `${name}=${values.join('|')}`)
  const detail = `Invalid preferences: ${list.join(', ')}`.slice(0, 500)
  return new DomainError('invalid_preference', 'Invalid preferences in the Prefer header.', {
    detail,
    postgrest: {
      code: 'PGRST122',
      message: 'Invalid preferences given with handling=strict',
      details: detail,
    },
    hint: `Known are ${choices.join(', ')}, timezone=<name, as Europe/Paris>, max-affected=<rows>.`,
  })
}
