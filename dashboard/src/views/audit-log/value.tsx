/** A value of a record: texts as they are, everything else as JSON. */
export function Value({ of: value }: { of: unknown }) {
  if (value === undefined) return null
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value, undefined, 2)
  return <pre className="min-w-24 whitespace-pre-wrap wrap-anywhere">{text}</pre>
}
