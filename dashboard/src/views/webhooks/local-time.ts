// Times as an input of the type `datetime-local` has them: the viewer's own zone, to the minute.

export function toLocalInput(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** ISO 8601 in UTC; undefined while nothing whole is typed. */
export function fromLocalInput(text: string): string | undefined {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
