// What an image may be asked for in: size, fit, format and quality, from a query string or from a signed token. Pure.

import * as z from 'zod'
import { DomainError } from '../../../errors.ts'
import { WholeNumber } from '../../../lib/whole-number.ts'
import type { OutputType } from './images-binding.ts'

/** Pixels of a side, as Supabase's own service allows. */
const SIDE_MAX = 2_500
const Side = wholeNumber(1, SIDE_MAX)

function wholeNumber(min: number, max: number) {
  const error = `must be ${min} to ${max}`
  return WholeNumber.pipe(z.int().min(min, error).max(max, error)).optional()
}

/** The parameters of a query string; without one of them the image is as it was uploaded in that respect. */
export const Transformation = z.strictObject({
  width: Side.describe('pixels; no image is made larger than it is, but by `fill`'),
  height: Side.describe('as `width`'),
  resize: z
    .enum(['cover', 'contain', 'fill'])
    .default('cover')
    .describe('where both sides are given. `cover` cuts off, `contain` fits in, `fill` distorts'),
  quality: wholeNumber(20, 100).describe('of a format that has one'),
  format: z
    .enum(['origin', 'avif', 'webp', 'jpeg', 'png'])
    .optional()
    .describe('`origin`: that of the file. Unset: WebP where Accept names it, else as `origin`'),
})
export type Transformation = z.output<typeof Transformation>

const NAMES = ['height', 'width', 'resize', 'quality', 'format'] as const

/**
 * Reads the parameters; others are left alone. `fit` is another name of `resize`. Throws `invalid_parameter` naming the
 * first that is wrong.
 */
export function readTransformation(query: Readonly<Record<string, string | undefined>>): Transformation {
  const { fit, resize = fit, gravity, width, height, quality, format } = query
  if (gravity !== undefined && gravity !== 'ce')
    throw invalid('gravity', 'Images are cut around their centre.')
  const read = Transformation.safeParse({ width, height, resize, quality, format })
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw invalid(String(issue?.path[0] ?? 'query'), issue?.message ?? 'It cannot be read.')
}

/** For a signed token, as Supabase writes it: `height:100,width:100,resize:cover`. */
export function transformationText(transformation: Transformation): string {
  const said = NAMES.flatMap(name => {
    const value = transformation[name]
    return value === undefined ? [] : [`${name}:${value}`]
  })
  return said.join(',')
}

/** What `transformationText` wrote. Throws `invalid_parameter`. */
export function parseTransformationText(text: string): Transformation {
  const parts = text === '' ? [] : text.split(',').map(part => part.split(':', 2))
  return readTransformation(Object.fromEntries(parts) as Record<string, string>)
}

/** The type asked for; undefined: that of the file. */
export function outputTypeOf({ format }: Transformation, accept: string | null): OutputType | undefined {
  if (format === undefined) return /\bimage\/webp\b/i.test(accept ?? '') ? 'image/webp' : undefined
  return format === 'origin' ? undefined : `image/${format}`
}

function invalid(name: string, detail: string): DomainError {
  return new DomainError('invalid_parameter', `The parameter ${name} is not one that images are made with.`, {
    detail: `${name}: ${detail}`,
    hint: `width and height are 1 to ${SIDE_MAX}, quality is 20 to 100, resize is cover, contain or fill.`,
  })
}
