// What buckets and objects may be called, and where their bytes are. Pure.

import { DomainError } from '../../errors.ts'

/** A name in a bucket: what a caller means by an address. */
export interface ObjectPlace {
  readonly bucketId: string
  readonly name: string
}

/** The place that parameters of a path or fields of a body name. */
export function placeOf({ bucket, name }: { bucket: string; name: string }): ObjectPlace {
  return { bucketId: bucket, name }
}

/** What several names in a bucket are called together: the one name, or else the bucket. */
export function placeOfAll(bucketId: string, names: readonly string[]): ObjectPlace {
  return { bucketId, name: names.length === 1 ? (names[0] ?? '') : '' }
}

/** As S3 has it. The name is no part of the blob's key, but of two indexes. */
export const OBJECT_NAME_BYTES_MAX = 1_024

/** The characters of S3's keys without the slash; of more, signed addresses would not survive proxies and shells. */
const BUCKET_NAME = /^[\w!.*'()&$@=;:+,?-](?:[\w!.*'() &$@=;:+,?-]{0,98}[\w!.*'()&$@=;:+,?-])?$/

/** Throws `invalid_bucket_name`. Only for new ones: a name that is none is simply not found. */
export function checkBucketName(name: string): void {
  if (BUCKET_NAME.test(name) && name !== '.' && name !== '..') return
  throw new DomainError('invalid_bucket_name', 'Bucket name invalid', {
    detail: `name: ${shown(name)}`,
    hint: "1 to 100 of the letters a-z and A-Z, digits, blanks inside and !-_.*'()&$@=;:+,? are allowed.",
  })
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/
const utf8 = new TextEncoder()

/**
 * Any Unicode text of at most 1 024 bytes. Throws `invalid_object_name` for control characters, halves of surrogate
 * pairs, and the parts `.` and `..`, which addresses cannot carry.
 */
export function checkObjectName(name: string): void {
  const problem = problemOf(name)
  if (problem === undefined) return
  throw new DomainError('invalid_object_name', `Invalid key: ${shown(name)}`, {
    detail: problem,
    hint: 'Folders are parts between slashes. Any other Unicode text will do.',
  })
}

function problemOf(name: string): string | undefined {
  if (name === '') return 'The name is empty.'
  if (name.length > OBJECT_NAME_BYTES_MAX || utf8.encode(name).length > OBJECT_NAME_BYTES_MAX)
    return `The name has more than ${OBJECT_NAME_BYTES_MAX} bytes of UTF-8.`
  if (CONTROL.test(name)) return 'The name has a control character.'
  if (!name.isWellFormed()) return 'The name has half of a surrogate pair.'
  if (name.split('/').some(part => part === '.' || part === '..')) return 'The name has a part "." or "..".'
  return undefined
}

function shown(name: string): string {
  return name.slice(0, 100).toWellFormed().replaceAll(new RegExp(CONTROL, 'g'), '\u{fffd}')
}

/** Whether Postgres can hold the text. It takes neither NUL nor halves of surrogate pairs: such a name is nobody's. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** Where the bytes of a version are: nothing of a name is in it, so moves and renames leave the bytes alone. */
export function blobKey(bucketId: string, version: string): string {
  return `${bucketId}/${version}`
}
