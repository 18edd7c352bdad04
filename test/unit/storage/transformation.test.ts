// Stops: sizes that would exhaust the maker of images, and options that change between signing and use.

import { expect, it } from 'vitest'
import {
  parseTransformationText,
  readTransformation,
  transformationText,
} from '../../../src/features/storage/images/transformation.ts'

it('reads the parameters of Supabase, and leaves others alone', () => {
  const query = { width: '100', height: '2500', resize: 'contain', quality: '20', format: 'webp', token: 'x' }
  expect(readTransformation(query)).toEqual({
    width: 100,
    height: 2_500,
    resize: 'contain',
    quality: 20,
    format: 'webp',
  })
  expect(readTransformation({ fit: 'fill' }).resize).toBe('fill')
  expect(readTransformation({}).resize).toBe('cover')
})

it.each([
  ['width', '0'],
  ['width', '-1'],
  ['width', '2501'],
  ['width', '1e3'],
  ['height', ''],
  ['height', '9'.repeat(400)],
  ['quality', '19'],
  ['quality', '101'],
  ['resize', 'pad'],
  ['format', 'svg'],
  ['gravity', 'fp'],
])('refuses %s=%s by its name, in words of ours', (name, value) => {
  const detail = expect.not.stringContaining('Too ')
  expect(() => readTransformation({ [name]: value })).toThrow(
    expect.objectContaining({ code: 'invalid_parameter', message: expect.stringContaining(name), detail }),
  )
})

it('survives being signed', () => {
  for (const query of [{}, { width: '1' }, { height: '9', quality: '80', format: 'avif', resize: 'fill' }]) {
    const transformation = readTransformation(query)
    expect(parseTransformationText(transformationText(transformation))).toEqual(transformation)
  }
  expect(transformationText(readTransformation({ width: '1', height: '2' }))).toBe(
    'height:2,width:1,resize:cover',
  )
})
