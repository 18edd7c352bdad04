// A store of files that fails when a test wants it to, beneath the real bundle: the module here is the Worker's entry
// in the bundle's place, and hands what is in there another STORAGE. R2 itself has no way to be made to fail.

import { basename } from 'node:path'

/** What goes wrong with a call: before it, in the middle of a body, or behind it, when the answer alone is lost. */
export type StorageFault = 'before' | 'middle' | 'after'

export const FAULT_URL = 'https://storage-fault.invalid/'

/** The entry in front of the bundle's script. Before each call of the store it asks `FAULT_URL` by the call's name. */
export function failingEntry(script: string): string {
  return `
import worker, { ResumableUpload as Upload } from './${basename(script)}'
export * from './${basename(script)}'

async function run(call, work, body) {
  const fault = await (await fetch('${FAULT_URL}' + call)).text()
  if (fault === 'middle' && body instanceof ReadableStream) await body.getReader().read()
  if (fault === 'before' || (fault === 'middle' && call !== 'get')) throw new Error('R2 fails: ' + call)
  const result = await work()
  if (fault === 'after') throw new Error('the answer of R2 is lost: ' + call)
  return fault === 'middle' && result !== null ? { size: result.size, body: broken(result.body) } : result
}

/** The first bytes, and no more. */
function broken(body) {
  const reader = body.getReader()
  let isFirst = true
  return new ReadableStream({
    async pull(controller) {
      const { value } = await reader.read()
      if (!isFirst) return controller.error(new Error('R2 breaks off'))
      isFirst = false
      controller.enqueue(value.subarray(0, value.length >> 1))
    },
  })
}

const failingUpload = upload => ({
  uploadId: upload.uploadId,
  uploadPart: (number, body) => run('uploadPart', () => upload.uploadPart(number, body), body),
  complete: parts => run('complete', () => upload.complete(parts)),
  abort: () => run('abort', () => upload.abort()),
})
const failingBucket = bucket => ({
  head: key => run('head', () => bucket.head(key)),
  get: (key, options) => run('get', () => bucket.get(key, options)),
  put: (key, body, options) => run('put', () => bucket.put(key, body, options), body),
  delete: keys => run('delete', () => bucket.delete(keys)),
  list: options => run('list', () => bucket.list(options)),
  createMultipartUpload: (key, options) =>
    run('createMultipartUpload', async () => failingUpload(await bucket.createMultipartUpload(key, options))),
  resumeMultipartUpload: (key, id) => failingUpload(bucket.resumeMultipartUpload(key, id)),
})

// The Worker knows its parts by the environment that they were made for.
const environments = new WeakMap()
function failing(env) {
  if (!environments.has(env)) environments.set(env, { ...env, STORAGE: failingBucket(env.STORAGE) })
  return environments.get(env)
}

export class ResumableUpload extends Upload {
  constructor(ctx, env) {
    super(ctx, failing(env))
  }
}

export default {
  fetch: (request, env, ctx) => worker.fetch(request, failing(env), ctx),
  queue: (batch, env, ctx) => worker.queue(batch, failing(env), ctx),
  scheduled: (controller, env, ctx) => worker.scheduled(controller, failing(env), ctx),
}
`
}
