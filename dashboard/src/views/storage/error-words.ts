// What the server's refusals mean for whoever sits here. Its own hints speak to programs: which call to make instead.

import { answerOf } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { ownValue } from '../../parts/own-value.ts'

const WORDS: Record<string, { error: string; hint: string }> = {
  bucket_exists: { error: 'There is a bucket of this name already.', hint: 'Choose another name.' },
  bucket_not_empty: { error: 'There are files in the bucket.', hint: 'Empty it first; the menu has it too.' },
  bucket_not_found: { error: 'The bucket is not there any more.', hint: 'Somebody has deleted it.' },
  object_exists: {
    error: 'There is a file of this name already.',
    hint: 'Choose another name, or delete that file first.',
  },
  object_not_found: { error: 'The file is not there any more.', hint: 'It was moved or deleted.' },
}

/** The same error in words of the dashboard, where it has some. */
export function inOurWords(err: unknown): unknown {
  const words = err instanceof ApiError ? ownValue(WORDS, err.code) : undefined
  return words === undefined ? err : reworded(err, { ...words, detail: null })
}

/** Names what the error is about, where several things were asked for. */
export function errorAbout(name: string, err: unknown): unknown {
  return err instanceof ApiError ? reworded(err, { error: `“${name}”: ${err.message}` }) : err
}

function reworded(err: unknown, words: { error: string; hint?: string; detail?: null }): unknown {
  if (!(err instanceof ApiError)) return err
  const { status, code, detail, hint, requestId } = err
  return new ApiError(status, { code, detail, hint, request_id: requestId, ...words })
}

/** As `answerOf`. */
export async function storageAnswer<Body>(call: Parameters<typeof answerOf<Body>>[0]): Promise<Body> {
  try {
    return await answerOf(call)
  } catch (err) {
    throw inOurWords(err)
  }
}
