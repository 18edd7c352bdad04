// Arrays in Postgres' text form, for tests: read as the service reads them, and written as Postgres writes them.

import { type ArrayItem, arrayLiteralToJson } from '../../src/lib/array-literal.ts'

export function readArrayLiteral(literal: string, delimiter = ','): ArrayItem[] {
  const toJson = (text: string) => JSON.stringify(text)
  return JSON.parse(arrayLiteralToJson(literal, { toJson, onValue: () => {}, delimiter }))
}

/** As array_out writes: quotes only where an element would be misread without. Its blanks are those of ASCII. */
export function arrayOut(items: readonly ArrayItem[]): string {
  const parts = items.map(item => {
    if (item === null) return 'NULL'
    if (typeof item !== 'string') return arrayOut(item)
    const isPlain = item !== '' && !/^null$/i.test(item) && !/[{},"\\ \t\n\v\f\r]/.test(item)
    return isPlain ? item : `"${item.replace(/["\\]/g, '\\$&')}"`
  })
  return `{${parts.join(',')}}`
}
