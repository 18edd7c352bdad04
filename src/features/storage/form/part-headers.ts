// What the headers of a form say (RFC 7578): of the whole the boundary, of a part whether it is a field or the file.

import { DomainError } from '../../../errors.ts'
import { parametersOf } from './header-parameters.ts'

/** A part of a form. */
export interface PartHeaders {
  name: string
  isFile: boolean
  /** As it was sent, which may be a path; of a file, if at all. */
  filename: string | undefined
  contentType: string | undefined
}

const FORM = /^multipart\/form-data[ \t]*(;|$)/i
/** Of at most 70 characters, without a line break and a blank at the end (RFC 2046 §5.1.1). */
const BOUNDARY = /^[ -~]{0,69}[!-~]$/
/** A name, and a value that is not continued in the next line. */
const HEADER = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([^\r\n]*)$/
/** Encodings that leave the bytes as they are (RFC 2045 §6.2). */
const PLAIN_ENCODINGS = /^(7bit|8bit|binary)$/i

/** Whether a body of this Content-Type is a form with files. */
export function isForm(contentType: string | null): contentType is string {
  return contentType !== null && FORM.test(contentType)
}

/** The boundary between the parts of a form. Throws `invalid_body` when there is none, or none that may be. */
export function boundaryOf(contentType: string): string {
  const boundary = parametersOf(contentType).get('boundary')
  if (boundary === undefined) throw badForm('The Content-Type of the form names no boundary.')
  if (!BOUNDARY.test(boundary)) throw badForm('The boundary of the form is not one of 1 to 70 characters.')
  return boundary
}

/**
 * What stands between a delimiter and the empty line: blanks to the line's end, and headers. Throws `invalid_body` for
 * what RFC 7578 does not know: parts without a name, forms inside of forms, encoded parts.
 */
export function parsePartHeaders(text: string): PartHeaders {
  const headers = headersOf(text)
  const disposition = headers.get('content-disposition') ?? ''
  const parameters = parametersOf(disposition)
  const name = parameters.get('name')
  if (!/^form-data[ \t]*(;|$)/i.test(disposition) || name === undefined) {
    throw badForm('A part of the form has no Content-Disposition: form-data with a name.')
  }
  const contentType = headers.get('content-type') || undefined
  if (/^multipart\//i.test(contentType ?? '')) throw badForm('A part of the form has parts itself.')
  if (!PLAIN_ENCODINGS.test(headers.get('content-transfer-encoding') ?? 'binary')) {
    throw badForm('A part of the form is encoded; send its bytes as they are.')
  }
  const filename = parameters.get('filename') ?? parameters.get('filename*')
  // Supabase's clients give the file no name; some others a type only.
  const isFile =
    filename !== undefined || name === '' || /^application\/octet-stream/i.test(contentType ?? '')
  return { name, isFile, filename, contentType }
}

/** By name, in lower case; of several with one name the first counts. */
function headersOf(text: string): ReadonlyMap<string, string> {
  const [blanks = '', ...lines] = text.split('\r\n')
  if (!/^[ \t]*$/.test(blanks)) throw badForm('Something else than a line break follows a boundary.')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name = '', value = ''] = HEADER.exec(line) ?? []
    if (name === '') throw badForm('A part of the form has a header that cannot be read.')
    if (!headers.has(name.toLowerCase())) headers.set(name.toLowerCase(), value.trimEnd())
  }
  return headers
}

/** For a form that is not as RFC 7578 has it. */
export function badForm(message: string): DomainError {
  return new DomainError('invalid_body', message, {
    hint: 'Send multipart/form-data with one file, as FormData of a browser does.',
  })
}
