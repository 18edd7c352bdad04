// A value of the database in one line. NULL and the empty text look like neither.

/** Longer ones are cut in lists; the panel beside them has the whole. */
const SHOWN_LENGTH_MAX = 200

export function ValueText({ text }: { text: string | null }) {
  if (text === null) return <span className="font-sans italic">NULL</span>
  if (text === '') return <span className="font-sans italic">empty text</span>
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text
}
