// The likest of several names as PostgREST finds it (Data.FuzzySet), so that its hints are the same here. Pure.

/** More names than these are not looked through, as in PostgREST. */
const NAMES_MAX = 500

/**
 * The candidate that is most like `name`; undefined below `scoreMin`, of 0 to 1: one less the part of the letters that
 * differ. It shares three letters in a row with the name, or two where none shares three.
 */
export function similarName(
  name: string,
  candidates: readonly string[],
  scoreMin: number,
): string | undefined {
  if (candidates.length > NAMES_MAX) return undefined
  for (const size of [3, 2]) {
    const grams = gramsOf(name, size)
    const scored = candidates
      .filter(candidate => gramsOf(candidate, size).some(gram => grams.includes(gram)))
      .map(candidate => ({ candidate, score: similarity(name.toLowerCase(), candidate.toLowerCase()) }))
      .filter(({ score }) => score >= scoreMin)
      .sort((a, b) => b.score - a.score)
    if (scored[0]) return scored[0].candidate
  }
  return undefined
}

/** A dash stands for either end of the name. */
function gramsOf(name: string, size: number): string[] {
  const text = `-${name.toLowerCase().replace(/[^\p{L}\p{N} ,]/gu, '')}-`
  return Array.from({ length: Math.max(0, text.length - size + 1) }, (_, i) => text.slice(i, i + size))
}

function similarity(a: string, b: string): number {
  return 1 - levenshtein(a, b) / Math.max(a.length, b.length, 1)
}

function levenshtein(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced))
    }
    row = next
  }
  return row[b.length] ?? 0
}
