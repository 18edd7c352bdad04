// Permissions as callers send and see them. What a tuple must be is said in tuple-input.ts.

import * as z from 'zod'
import { Cursor } from '../../clients/page-cursor.ts'
import { TUPLES_PER_PAGE_MAX } from '../../clients/permission-server.ts'
import { WholeNumber } from '../../lib/whole-number.ts'
import { NAME_LENGTH_MAX, RELATION_LENGTH_MAX, TUPLES_MAX } from './tuple-input.ts'
import { LIMITS } from './walk/walk-relation.ts'

const TUPLE_TEXT = 'Project:apollo#editor@Organization:acme#member'

const SubjectSet = z
  .object({ namespace: z.string(), object: z.string(), relation: z.string() })
  .describe('all who have that relation to that object; with an empty relation the object itself')

const TUPLE_EXAMPLE = {
  namespace: 'Project',
  object: 'apollo',
  relation: 'editor',
  subject_set: { namespace: 'Organization', object: 'acme', relation: 'member' },
}

/** One of the two subjects is there. */
export const RelationTuple = z
  .object({
    namespace: z.string(),
    object: z.string(),
    relation: z.string(),
    subject_id: z.string().optional().describe('who has the relation; or `subject_set`'),
    subject_set: SubjectSet.optional(),
  })
  .meta({ id: 'RelationTuple', examples: [TUPLE_EXAMPLE] })

const NAMES_IN = {
  namespace: { type: 'string' },
  object: { type: 'string', maxLength: NAME_LENGTH_MAX },
  relation: { type: 'string', maxLength: RELATION_LENGTH_MAX },
} as const

/** Read by `readTuple`, whose errors say which tuple of a list is wrong. */
export const RelationTupleIn = z.unknown().meta({
  id: 'RelationTupleIn',
  description: 'a relation tuple, as an object or in its text form namespace:object#relation@subject',
  anyOf: [
    { type: 'string', examples: [TUPLE_TEXT] },
    {
      type: 'object',
      required: Object.keys(NAMES_IN),
      properties: {
        ...NAMES_IN,
        subject_id: { type: 'string', maxLength: NAME_LENGTH_MAX },
        subject_set: { type: 'object', required: Object.keys(NAMES_IN), properties: NAMES_IN },
      },
    },
  ],
  examples: [TUPLE_EXAMPLE],
})

export const TuplesIn = z
  .strictObject({
    tuples: z
      .array(RelationTupleIn)
      .min(1)
      .meta({ maxItems: TUPLES_MAX, description: `at most ${TUPLES_MAX}` }),
  })
  .meta({ id: 'RelationTuplesIn' })

export const TupleImport = z
  .object({
    imported: z.int().describe('tuples that were written'),
    skipped_duplicates: z.int().describe('tuples that were there already, or came twice in the request'),
  })
  .meta({ id: 'RelationTupleImport', examples: [{ imported: 2, skipped_duplicates: 0 }] })
export type TupleImport = z.infer<typeof TupleImport>

export const TupleDeletion = z
  .object({ deleted: z.int().describe('tuples that were there; the copies of one count once') })
  .meta({ id: 'RelationTupleDeletion', examples: [{ deleted: 2 }] })
export type TupleDeletion = z.infer<typeof TupleDeletion>

export const TupleWritten = z
  .object({ tuple: RelationTuple, created: z.boolean().describe('false: it was there already') })
  .meta({ id: 'RelationTupleWritten', examples: [{ tuple: TUPLE_EXAMPLE, created: true }] })
export type TupleWritten = z.infer<typeof TupleWritten>

const Name = (description: string) => z.string().max(NAME_LENGTH_MAX).describe(description)

/** In a path or a query: an id, or a set as `Organization:acme#member`. */
export const SubjectText = z
  .string()
  .max(8 * NAME_LENGTH_MAX)
  .describe(
    'an id, or a subject set as Organization:acme#member (# is %23 in an address); an id that reads as a set stands ' +
      'in quotation marks',
  )
  .meta({ examples: ['Organization:acme#member'] })

export const TupleListQuery = z.strictObject({
  namespace: Name('Tuples of this namespace').optional(),
  object: Name('Tuples of this object').optional(),
  relation: Name('Tuples of this relation').optional(),
  subject: SubjectText.optional(),
  limit: WholeNumber.pipe(z.int().min(1).max(TUPLES_PER_PAGE_MAX)).default(100).describe('Tuples per page'),
  cursor: Cursor.optional().describe('`next_cursor` of the page before, with the same filters'),
})
export type TupleListQuery = z.infer<typeof TupleListQuery>

export const TupleList = z
  .object({
    data: z.array(RelationTuple),
    next_cursor: z.string().nullable().describe('null: the list is complete'),
  })
  .meta({ id: 'RelationTupleList' })
export type TupleList = z.infer<typeof TupleList>

/** All four: what leaves one out would be a wildcard. */
export const TupleNames = z.strictObject({
  namespace: Name('Namespace of the tuple'),
  object: Name('Object of the tuple'),
  relation: Name('Relation of the tuple'),
  subject: SubjectText,
})
export type TupleNames = z.infer<typeof TupleNames>

const Truncation = z
  .enum(LIMITS)
  .nullable()
  .describe(
    'which limit was met. tuples, calls, size: as much as one answer reads or holds. undeclared: a name that the ' +
      'permission file does not have. operator: a permit with `&&` or `!`. width, depth: the permission server looks ' +
      'no further. `PERMISSION_DEPTH_MAX` is the depth; where the server has another, `explain` says depth too',
  )

const Completeness = {
  complete: z.boolean().describe('false: something may be missing, and `truncated_by` says why'),
  truncated_by: Truncation,
}

export const SubjectTuples = z
  .object({
    subject: z.string().describe('the subject that was asked for, in its text form'),
    tuples: z.array(RelationTuple),
    ...Completeness,
  })
  .meta({
    id: 'SubjectTuples',
    examples: [
      {
        subject: 'Organization:acme#member',
        tuples: [TUPLE_EXAMPLE],
        complete: true,
        truncated_by: null,
      },
    ],
  })
export type SubjectTuples = z.infer<typeof SubjectTuples>

export const PermissionCheck = z
  .object({ allowed: z.boolean() })
  .meta({ id: 'PermissionCheck', examples: [{ allowed: true }] })
export type PermissionCheck = z.infer<typeof PermissionCheck>

const Via = z
  .array(z.string())
  .readonly()
  .describe('tuples in their text form, from the object to the subject')
const VIA_EXAMPLE = [TUPLE_TEXT, 'Organization:acme#member@alice']

export const PermissionExplanation = z
  .object({
    allowed: z.boolean().describe("the permission server's own answer"),
    reason: z
      .enum(['path', 'no_path', 'limit'])
      .describe('path: `via` grants it. no_path: nothing does. limit: `truncated_by` may hide a path'),
    via: Via,
    truncated_by: Truncation,
  })
  .meta({
    id: 'PermissionExplanation',
    examples: [{ allowed: true, reason: 'path', via: VIA_EXAMPLE, truncated_by: null }],
  })
export type PermissionExplanation = z.infer<typeof PermissionExplanation>

export const AccessQuestion = z
  .strictObject({
    namespace: Name('namespace of the object').min(1),
    object: Name('the object').min(1),
    without: z
      .array(RelationTupleIn)
      .meta({ maxItems: TUPLES_MAX })
      .max(TUPLES_MAX)
      .optional()
      .describe('tuples that are taken as deleted: who would still have access?'),
  })
  .meta({ id: 'AccessQuestion', examples: [{ namespace: 'Project', object: 'apollo' }] })
export type AccessQuestion = z.infer<typeof AccessQuestion>

const AccessSubject = z.object({
  subject: z.string().describe('text form of a subject id or of a subject set'),
  relations: z.array(z.object({ relation: z.string(), via: Via })),
  permits: z.array(z.object({ permit: z.string(), via: Via })),
})

export const AccessReport = z
  .object({
    subjects: z.array(AccessSubject).describe('everybody with a relation or permit, subject sets too'),
    relations: z.array(z.string()).describe('relations of the object: columns of the matrix'),
    permits: z
      .array(z.object({ permit: z.string(), ...Completeness }))
      .describe('permits of the object: columns of the matrix, each with its own completeness'),
    matrix: z
      .record(z.string(), z.record(z.string(), z.boolean()))
      .describe('subject, then relation or permit'),
    ...Completeness,
    complete: z
      .boolean()
      .describe('of the relations; `permits` says it of each permit. false: `truncated_by` says why'),
  })
  .meta({
    id: 'AccessReport',
    examples: [
      {
        subjects: [
          {
            subject: 'alice',
            relations: [{ relation: 'editor', via: VIA_EXAMPLE }],
            permits: [{ permit: 'edit', via: VIA_EXAMPLE }],
          },
        ],
        relations: ['owner', 'editor'],
        permits: [{ permit: 'edit', complete: true, truncated_by: null }],
        matrix: { alice: { owner: false, editor: true, edit: true } },
        complete: true,
        truncated_by: null,
      },
    ],
  })
export type AccessReport = z.infer<typeof AccessReport>

export const Namespace = z.object({
  name: z.string(),
  in_file: z.boolean().describe('whether the permission file of this deployment declares it'),
  on_server: z.boolean().describe('whether the permission server knows it'),
  relations: z.array(
    z.object({
      name: z.string(),
      types: z.array(z.string()).describe('who may have it, as the permission file says'),
      declared: z.boolean().describe('false: stored, but not in the permission file'),
      subjects: z.int().describe('how many have it directly, over all objects'),
    }),
  ),
  permits: z.array(z.string()),
  rules: z
    .array(z.object({ permit: z.string(), follows_from: z.string() }))
    .describe('what each permit follows from, in words: `edit or viewer or view of parent`'),
  counted_all: z.boolean().describe('false: there are more tuples than are counted'),
})
export type Namespace = z.infer<typeof Namespace>

export const NamespaceList = z
  .object({
    data: z.array(Namespace),
    file: z.string().describe('text of the permission file that the Worker was built with'),
  })
  .meta({
    id: 'NamespaceList',
    examples: [
      {
        data: [
          {
            name: 'Organization',
            in_file: true,
            on_server: true,
            relations: [{ name: 'admin', types: ['User'], declared: true, subjects: 1 }],
            permits: [],
            rules: [],
            counted_all: true,
          },
        ],
        file: 'class User implements Namespace {}',
      },
    ],
  })
export type NamespaceList = z.infer<typeof NamespaceList>
