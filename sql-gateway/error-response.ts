/**
 * Owns turning an ErrorResponse into the gateway's error; `pg-protocol` does the decoding.
 */
import { DatabaseError } from 'pg-protocol'
import { Parser } from 'pg-protocol/dist/parser.js'
import { gatewayError, SqlError } from './errors.ts'

const HEADER_BYTES = 5

/** Decodes the ErrorResponse whose body lies from `start` to `end`; the header stands right before it. */
export function readErrorResponse(bytes: Buffer, start: number, end: number): SqlError {
  let error: SqlError | undefined
  new Parser().parse(bytes.subarray(start - HEADER_BYTES, end), message => {
    if (message instanceof DatabaseError) {
      const { message: text, ...fields } = pickFields(message)
      error = new SqlError(text, fields)
    }
  })
  return error ?? gatewayError('08P01', 'Postgres sent an error that cannot be read')
}

function pickFields(error: DatabaseError) {
  const { message, severity, code, detail, hint, position, internalPosition, internalQuery, where } = error
  const { schema, table, column, dataType, constraint, file, line, routine } = error
  return {
    message,
    severity,
    code,
    detail,
    hint,
    position,
    internalPosition,
    internalQuery,
    where,
    schema,
    table,
    column,
    dataType,
    constraint,
    file,
    line,
    routine,
  }
}
