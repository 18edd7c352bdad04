// What the guard in front of the SQL parser refuses and lets through. That the bounds are small enough was measured
// (`bench/README.md`).

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { refuseCostlyText, refuseTextBytes } from '../../../src/features/sql/text-guard.ts'

const refused = (text: string) => expect(() => refuseCostlyText(text)).toThrow(/too long to be read|GLOBAL/)

const RULER = `+${'-'.repeat(12)}`.repeat(40)
const ORDINARY = [
  ...'select from where and or not in ( ) , ; . [ ] 1 -1 1.5e-3 $1 $2 é "ü" ::int ->> #>> @> || != <> >= := =>'.split(
    ' ',
  ),
  "'it''s'",
  "E'a\\'b'",
  "U&'\\0041'",
  '$$ begin a := a - -1; /* x */ end $$',
  '$f$ +-*/<> $f$',
  '-- comment --------------------',
  '/* nested /* comment */ */',
  `/*${'*'.repeat(500)}*/`,
  `/*${'='.repeat(500)}*/`,
  `--${'-'.repeat(70_000)}`,
  `'${'='.repeat(70_000)}'`,
  `'${'//'.repeat(35_000)}'`,
  `'${RULER}+'`,
  `/*\n${RULER}+\n| a | b |\n${RULER}+\n*/`,
  'create global temp table a (b int)',
]

test('lets through whatever is made of ordinary parts', () => {
  const text = fc.array(fc.tuple(fc.constantFrom(...ORDINARY), fc.constantFrom(' ', '\n', '\t')), {
    maxLength: 300,
  })
  fc.assert(
    fc.property(text, parts => {
      // GLOBAL alone is counted over the text.
      const globals = parts.filter(([part]) => part.includes('global')).length
      fc.pre(globals <= 32)
      refuseCostlyText(parts.flat().join(''))
    }),
  )
})

const CORES = ['+', '+-', '-+', '/**/', '/*', '/*/', '+/**/', '/**/*', '@/**/', '/*=*/', '*//*', '<+', '+=']
const WRAPPINGS = [
  "'",
  '"',
  "E'",
  "U&'",
  '$$',
  '$a$',
  '--',
  '/*',
  '*/',
  '(',
  'é',
  '🦊',
  'select 1 ',
  '\n',
  ';',
  '\\',
]

// The attack: a core that a wrapping makes look like a string or a comment, where the real lexer sees operators.
test('refuses a costly run whatever stands before and behind it', () => {
  const wrapping = fc.array(fc.constantFrom(...WRAPPINGS, ...ORDINARY), { maxLength: 20 })
  fc.assert(
    fc.property(wrapping, fc.constantFrom(...CORES), wrapping, (before, core, behind) => {
      refused(before.join('') + core.repeat(1_000) + behind.join(''))
    }),
  )
})

test('refuses GLOBAL TEMPORARY 33 times, however it is written', () => {
  const written = fc.constantFrom(
    'create global temp table a();',
    'GLOBAL\n\tTemporary ',
    'global/**/temp ',
    'global --x\n temp ',
    "'x'global temp ",
  )
  const wrapping = fc.array(fc.constantFrom(...WRAPPINGS), { maxLength: 10 })
  fc.assert(
    fc.property(wrapping, fc.array(written, { minLength: 33, maxLength: 40 }), (before, words) => {
      refused(`${before.join('')} ${words.join('')}`)
    }),
  )
})

test('says where, in lines and characters', () => {
  const thrown = (text: string) => {
    try {
      refuseCostlyText(text)
    } catch (err) {
      return err
    }
    return undefined
  }
  expect(thrown(`select '🦊',\n  'ü' ${'+'.repeat(300)} 1`)).toMatchObject({
    code: 'sql_syntax',
    detail: 'Line 2, column 7.',
    place: { line: 2, column: 7 },
  })
})

test('looks at each character a bounded number of times, be it refused or not', () => {
  for (const core of ['a', '+ ', '- ', '=', `${RULER} `, '+'.repeat(250).concat(' '), '/* ', '+-']) {
    const text = core.repeat(Math.ceil(100_000 / core.length))
    let looks = 0
    const counted = {
      length: text.length,
      charCodeAt: (i: number) => ++looks && text.charCodeAt(i),
      matchAll: (pattern: RegExp) => text.matchAll(pattern),
      slice: (start: number, end: number) => text.slice(start, end),
      [Symbol.iterator]: () => text[Symbol.iterator](),
    }
    try {
      refuseCostlyText(counted as unknown as string)
    } catch {}
    expect(looks).toBeLessThanOrEqual(3 * text.length)
  }
})

test('counts text in bytes, over all texts', () => {
  expect(() => refuseTextBytes(['ü'.repeat(8), 'a'], 17)).not.toThrow()
  expect(() => refuseTextBytes(['ü'.repeat(8), 'aa'], 17)).toThrow('The SQL text is larger than 17 bytes.')
})
