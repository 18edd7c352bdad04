// What OpenAPI says of files where no schema says it: headers and bodies that the verbs read themselves. It stands here
// because routes do not import each other.

import * as z from 'zod'

/** Of every endpoint that asks policies. */
export const AS_CALLER =
  'Policies on storage.buckets and storage.objects decide. Under /api it acts as service_role, past them.'

/** A header that a request may have. */
export const header = (name: string, description: string) => ({
  name,
  in: 'header' as const,
  schema: z.string().describe(description),
})

const File = z.string().meta({ format: 'binary', examples: ['the bytes of the file'] })

export const UPLOAD = {
  parameters: [
    header('Cache-Control', 'what downloads of the file say, such as `max-age=3600`'),
    header('X-Metadata', 'base64 of a JSON object that is kept with the file'),
  ],
  request: { 'application/octet-stream': File },
}

export const DOWNLOAD = {
  parameters: [
    header('Range', 'one range of bytes, such as `bytes=0-1023`'),
    header('If-None-Match', 'ETags of what is there already: then 304'),
  ],
  answers: {
    200: { description: 'The file', content: { 'application/octet-stream': File } },
    206: { description: 'The range of it', content: { 'application/octet-stream': File } },
    304: { description: 'What is there already is the same' },
    412: { description: 'A condition of the request does not hold' },
  },
}

export const IMAGE = {
  answers: { 200: { description: 'The image', content: { 'image/webp': File } } },
}
