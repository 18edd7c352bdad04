/**
 * Owns building a batch's answer while its rows come in. Pure: no I/O.
 * Long answers are kept as bytes in parts, so that no single string grows without bound.
 */
import type { Batch, BatchAnswer, Statement } from './batch.ts'
import { type BodyRow, NO_FIELDS, type RowFields, readBodyRow, rowJson } from './row-fields.ts'

const PART_CHARACTERS = 64 * 1024

export class AnswerWriter {
  readonly #batch: Batch
  readonly #parts: Buffer[] = []
  #text: string
  #rows = 0
  #bodyRow: BodyRow | undefined

  constructor(batch: Batch) {
    this.#batch = batch
    this.#text = batch.begin === undefined ? '' : '{"results":['
  }

  /** Takes a DataRow of the statement at `index`. */
  addRow(index: number, fields: RowFields, bytes: Buffer, start: number): void {
    if (this.#batch.isBodyWanted) {
      const isLast = index === this.#batch.statements.length - 1
      if (isLast && this.#bodyRow === undefined) this.#bodyRow = readBodyRow(bytes, start)
      return
    }
    const { format } = this.#batch.statements[index] as Statement
    this.#text += this.#rows++ > 0 ? ',' : this.#head(index, fields)
    this.#text += rowJson(bytes, start, fields, format)
    if (this.#text.length >= PART_CHARACTERS) {
      this.#parts.push(Buffer.from(this.#text))
      this.#text = ''
    }
  }

  /** Ends the statement at `index`; `tag` is its command tag, empty for an empty query. */
  endStatement(index: number, fields: RowFields | undefined, tag: string): void {
    if (this.#batch.isBodyWanted) return
    if (this.#rows === 0) this.#text += this.#head(index, fields ?? NO_FIELDS)
    this.#rows = 0
    const { isArrayMode } = (this.#batch.statements[index] as Statement).format
    this.#text += `],"command":${commandAndRowCount(tag)},"rowAsArray":${isArrayMode}}`
  }

  finish(): BatchAnswer {
    if (this.#batch.isBodyWanted) {
      const row = this.#bodyRow
      return { kind: 'body', body: row?.body ?? null, row: row?.others ?? null }
    }
    return {
      kind: 'json',
      parts: this.#parts,
      text: this.#batch.begin === undefined ? this.#text : `${this.#text}]}`,
    }
  }

  #head(index: number, fields: RowFields): string {
    return `${index > 0 ? ',' : ''}{"fields":${fields.json},"rows":[`
  }
}

/** `INSERT 0 3` is `"INSERT","rowCount":3`; a tag without a number has a null row count. */
function commandAndRowCount(tag: string): string {
  const space = tag.indexOf(' ')
  if (space < 0) return `${JSON.stringify(tag)},"rowCount":null`
  const command = tag.slice(0, space)
  const count = command === 'INSERT' ? tag.slice(tag.lastIndexOf(' ') + 1) : tag.slice(space + 1)
  return `${JSON.stringify(command)},"rowCount":${/^\d+$/.test(count) ? count : 'null'}`
}
