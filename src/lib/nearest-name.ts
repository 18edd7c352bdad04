// Finds the name that was probably meant. Pure.

/** The candidate closest to `name` by edit distance, if it is close enough to be a typing mistake. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  return nearestNames(name, candidates, 1)[0]
}

/** The closest candidates, best first; ties keep the order of the candidates. */
export function nearestNames(name: string, candidates: Iterable<string>, countMax: number): string[] {
  const wanted = name.toLowerCase().slice(0, 63)
  const distanceMax = Math.max(1, Math.floor(wanted.length / 3))
  const ranked: { candidate: string; distance: number }[] = []
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase(), distanceMax)
    if (distance <= distanceMax) ranked.push({ candidate, distance })
  }
  return ranked
    .sort((a, b) => a.distance - b.distance)
    .slice(0, countMax)
    .map(({ candidate }) => candidate)
}

/** Insertions, deletions, replacements and swaps of neighbours between two texts; over `max` only "more" is certain. */
function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwap ? at(beforePrevious, j - 2) + 1 : Number.POSITIVE_INFINITY
      current.push(Math.min(at(previous, j) + 1, at(current, j - 1) + 1, replaced, swapped))
    }
    // Distances only grow from row to row.
    if (Math.min(...current) > max) return max + 1
    beforePrevious = previous
    previous = current
  }
  return at(previous, b.length)
}

function at(row: number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
