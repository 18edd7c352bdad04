// Times as an input of the type `datetime-local` has them: the viewer's own zone, to the minute.

/** `at` is ISO 8601 text or milliseconds; empty for what is no time. */
export function toLocalInput(at: string | number | null | undefined): string {
  const date = new Date(at ?? '')
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** ISO 8601 in UTC; undefined while nothing whole is typed. */
export function fromLocalInput(text = ''): string | undefined {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
