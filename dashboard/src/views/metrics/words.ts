// Figures as text. Pure.

/** Durations are counted up to here; a longer one is only known to be longer. */
const COUNTED_TO_MS = 10_000

export function count(value: number): string {
  return value.toLocaleString('en')
}

export function milliseconds(value: number | null): string {
  if (value === null) return 'none'
  return value < COUNTED_TO_MS ? `${value.toLocaleString('en')} ms` : '10 s or more'
}

/** `0.4%`; a share that is not zero is never shown as zero. */
export function percent(part: number, whole: number): string {
  const share = whole === 0 ? 0 : (100 * part) / whole
  if (share > 0 && share < 0.01) return 'below 0.01%'
  return `${share.toLocaleString('en', { maximumFractionDigits: 2 })}%`
}
