import { valueText } from '../../../parts/database/sql-values.ts'
import type { SqlAnswer } from './queries.ts'

/** RFC 4180. NULL is an empty field, the empty text `""`. */
export function csvOf({ columns, rows }: SqlAnswer): string {
  const names = columns.map(({ name }) => name)
  const lines = [
    names.map(field),
    ...rows.map(row =>
      names.map(name => {
        const text = valueText(row[name])
        return text === null ? '' : field(text)
      }),
    ),
  ]
  return lines.map(fields => `${fields.join(',')}\r\n`).join('')
}

function field(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Offers the text as a file. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
