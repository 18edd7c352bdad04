// Lengths of time, as people say them. Pure.

const UNITS: readonly [unit: string, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

/** `1 hour`, `30 days`, `1 hour 30 minutes`: the two largest units that are not zero. */
export function inWords(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds))
  const words: string[] = []
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0 && words.length < 2) words.push(`${count} ${unit}${count === 1 ? '' : 's'}`)
  }
  return words.length === 0 ? '0 seconds' : words.join(' ')
}
