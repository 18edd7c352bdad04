// The text form of relation tuples: what is printed reads back, and what people write is read as they mean it.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RelationTuple, Subject, SubjectSet } from '../../../src/clients/permission-server.ts'
import {
  parseSubject,
  parseTuple,
  printSubject,
  printTuple,
} from '../../../src/features/permissions/tuple-text.ts'

/** Names as they come, and names made of what the text form is made of. */
const name = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(':', '#', '@', '"', '\\', '(', ')', 'a', ' ', '\n', '\ud800') }),
)
const set: fc.Arbitrary<SubjectSet> = fc.record({ namespace: name, object: name, relation: name })
const subject: fc.Arbitrary<Subject> = fc.oneof(
  name.map(subject_id => ({ subject_id })),
  set.map(subject_set => ({ subject_set })),
)
const tuple: fc.Arbitrary<RelationTuple> = fc
  .tuple(set, subject)
  .map(([names, whom]) => ({ ...names, ...whom }))

describe('every tuple', () => {
  it('reads back as it was printed', () => {
    fc.assert(
      fc.property(tuple, one => {
        expect(parseTuple(printTuple(one))).toEqual({ outcome: 'read', value: one })
      }),
      { numRuns: 2_000 },
    )
  })

  it('has a subject that reads back as it was printed', () => {
    fc.assert(
      fc.property(subject, one => {
        expect(parseSubject(printSubject(one))).toEqual(one)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a text', () => {
  const acmeAdmins = { namespace: 'Organization', object: 'acme', relation: 'admin' }
  const subjects: [string, Subject][] = [
    ['alice', { subject_id: 'alice' }],
    ['user:alice', { subject_id: 'user:alice' }],
    ['alice@example.com', { subject_id: 'alice@example.com' }],
    [
      'https://example.com/#me',
      { subject_set: { namespace: 'https', object: '//example.com/', relation: 'me' } },
    ],
    ['"https://example.com/#me"', { subject_id: 'https://example.com/#me' }],
    ['Organization:acme#admin', { subject_set: acmeAdmins }],
    ['(Organization:acme#admin)', { subject_set: acmeAdmins }],
    ['"Organization:acme#admin"', { subject_id: 'Organization:acme#admin' }],
    ['Project:root#', { subject_set: { namespace: 'Project', object: 'root', relation: '' } }],
    ['(Project:root)', { subject_set: { namespace: 'Project', object: 'root', relation: '' } }],
    ['Project:"a#b"#owner', { subject_set: { namespace: 'Project', object: 'a#b', relation: 'owner' } }],
    ['(alice)', { subject_id: '(alice)' }],
    ['', { subject_id: '' }],
    ['"alice', { subject_id: '"alice' }],
  ]

  it.each(subjects)('%s is that subject', (text, expected) => {
    expect(parseSubject(text)).toEqual(expected)
    expect(parseTuple(`Project:apollo#owner@${text}`)).toEqual({
      outcome: 'read',
      value: { namespace: 'Project', object: 'apollo', relation: 'owner', ...expected },
    })
  })

  it('keeps separators in the names that are not theirs', () => {
    expect(parseTuple('Project:a:b@c#owner:x@alice')).toEqual({
      outcome: 'read',
      value: { namespace: 'Project', object: 'a:b@c', relation: 'owner:x', subject_id: 'alice' },
    })
  })

  it.each([
    ['Project', 'namespace'],
    ['Project:apollo', 'object'],
    ['Project:apollo#owner', 'relation'],
    ['"Project":"apollo"owner#x@alice', 'object'],
    ['', 'namespace'],
  ])('%s is refused with the part behind which something is missing', (text, part) => {
    const read = parseTuple(text)
    expect(read.outcome === 'unreadable' && read.problem).toContain(`behind the ${part}`)
  })
})
