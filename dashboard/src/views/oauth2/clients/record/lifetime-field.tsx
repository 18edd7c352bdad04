import { Input, Select } from '@cloudflare/kumo'
import { inWords } from '../../../../parts/duration.ts'
import { type Lifetime, secondsOf, UNITS, type Unit } from './lifetimes.ts'

const UNIT_ITEMS = Object.fromEntries(UNITS.map(({ value }) => [value, value]))

/** A number and its unit. Empty is the server's default, which `usual` names. */
export function LifetimeField({
  label,
  usual,
  lifetime,
  error,
  onChange,
}: {
  label: string
  usual: string
  lifetime: Lifetime
  error: string | undefined
  onChange: (lifetime: Lifetime) => void
}) {
  const seconds = secondsOf(lifetime)
  return (
    <div className="grid gap-1">
      <div className="flex items-end gap-2">
        <div className="w-40">
          <Input
            label={label}
            inputMode="decimal"
            placeholder="the default"
            className="w-full tabular-nums"
            value={lifetime.amount}
            onChange={event => onChange({ ...lifetime, amount: event.target.value })}
          />
        </div>
        <Select<Unit>
          aria-label={`Unit of ${label}`}
          items={UNIT_ITEMS}
          value={lifetime.unit}
          onValueChange={unit => unit !== null && onChange({ ...lifetime, unit })}
        />
      </div>
      {error === undefined ? (
        <p className="text-sm text-kumo-subtle">{describe(seconds, usual)}</p>
      ) : (
        <p role="alert" className="text-sm text-kumo-danger">
          {error}
        </p>
      )}
    </div>
  )
}

function describe(seconds: number | null, usual: string): string {
  if (seconds === null) return `The server's default, usually ${usual}.`
  if (!Number.isInteger(seconds) || seconds < 1) return 'Must be a number, of a second at least.'
  return `${inWords(seconds)}, for tokens that are issued from now on.`
}
