// Why a bucket would not take a file, said before it is sent. Pure.

import type { Schema } from '../../../../api/schema.ts'
import { bytesText } from '../../../../parts/bytes.ts'

type Limits = Pick<Schema<'Bucket'>, 'file_size_limit' | 'allowed_mime_types'>

/** What a file without a type is sent as. */
export const UNKNOWN_TYPE = 'application/octet-stream'

/** Null: nothing is known against it. The server decides. */
export function refusalOf(
  { size, type }: Pick<File, 'size' | 'type'>,
  { file_size_limit: limit, allowed_mime_types: types }: Limits,
): Error | null {
  if (limit !== null && size > limit)
    return new Error(`It has ${bytesText(size)}; this bucket takes files of at most ${bytesText(limit)}.`)
  const [sent = ''] = (type || UNKNOWN_TYPE).toLowerCase().split(';')
  const fitting = [sent.trim(), `${sent.split('/')[0]}/*`, '*/*']
  // An empty list is none, as Supabase has it.
  if (!types?.length || types.some(allowed => fitting.includes(allowed.toLowerCase()))) return null
  return new Error(`Its type is ${sent}; this bucket takes ${types.join(', ')}.`)
}
