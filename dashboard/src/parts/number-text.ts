/**
 * The number that was typed; null for nothing. What is no number stays the text that it is, so that the server refuses
 * it in its own words: JSON would make `null` of NaN, which means "the default".
 */
export function numberOf(text: string): number | null {
  const trimmed = text.trim()
  if (trimmed === '') return null
  const value = Number(trimmed)
  return Number.isFinite(value) ? value : (trimmed as unknown as number)
}
