// Where /rest/v1 answers otherwise than PostgREST 12, and why.

import { isDeepStrictEqual } from 'node:util'
import type { DbAnswer } from '../caller.ts'
import type { TreeRequest } from './random-request.ts'
import { comparable } from './same-answer.ts'

export interface Difference {
  readonly name: string
  readonly reason: string
  applies(asked: TreeRequest, theirs: DbAnswer, ours: DbAnswer): boolean
}

const isAnswered = ({ status }: DbAnswer) => status < 300
/** Answered, or refused by the database when the rows are written: what comes of a request that is understood. */
const isTaken = ({ method }: TreeRequest, { status, body }: DbAnswer) =>
  status < 300 || (method !== 'GET' && /^23|^42501$/.test(body.code))
const isWrite = ({ method }: TreeRequest) => method !== 'GET'

function hasSameRows({ isOrdered }: TreeRequest, theirs: DbAnswer, ours: DbAnswer): boolean {
  if (!isAnswered(theirs) || !isAnswered(ours)) return false
  const [first, second] = [theirs, ours].map(each =>
    comparable({ ...each, headers: new Headers(), status: 200 }, isOrdered),
  )
  return isDeepStrictEqual(first, second)
}

/** A relation of which nothing is shown, not an aggregate. */
const EMPTY = /(?<!count|\.\w{3})\(\)/

/** True where the presence of a relation with aggregates chooses rows: by `!inner`, or by a test for null. */
function asksForAggregates(query: string): boolean {
  const counted = [...query.matchAll(/(\w+)(?::\w+)?((?:!\w+)*)\((?=[^()]*count\(\))/g)]
  return counted.some(
    ([, name, hints]) =>
      hints?.includes('!inner') || new RegExp(`\\b${name}[.=](not\\.)?is\\.null`).test(query),
  )
}

export const DIFFERENCES: readonly Difference[] = [
  {
    name: 'a spread of several rows',
    reason: 'PostgREST answers it from version 13 on',
    applies: (_, theirs, ours) => theirs.body.code === 'PGRST119' && ours.status < 500,
  },
  {
    name: 'a table that is not there',
    reason: 'its code is that of version 14, and it is told before what else is wrong',
    applies: ({ table }, theirs, ours) =>
      table === 'nothing' && !isAnswered(theirs) && ours.body.code === 'PGRST205',
  },
  {
    name: 'groups by a name that a level below has too',
    reason: 'PostgREST groups by the name of what is shown, which Postgres then takes for a column below',
    applies: (asked, theirs, ours) =>
      /must appear in the GROUP BY|reference "\w+" is ambiguous/.test(theirs.body.message) &&
      isTaken(asked, ours),
  },
  {
    name: 'an empty relation beside an aggregate, or in a spread',
    reason: 'PostgREST groups by the name of the relation, or spreads it, though it shows none',
    applies: (asked, theirs, ours) =>
      EMPTY.test(asked.query) &&
      (theirs.body.code === '42703' || (isAnswered(theirs) && asked.query.includes('count()'))) &&
      isTaken(asked, ours),
  },
  {
    name: 'a count with an alias in a spread',
    reason: 'PostgREST 12 asks the spread rows for a column of that name, which they do not have',
    applies: (asked, theirs, ours) =>
      /_count:count\(\)/.test(asked.query) &&
      /_count does not exist/.test(theirs.body.message) &&
      isTaken(asked, ours),
  },
  {
    name: 'the total of groups',
    reason: 'PostgREST counts the rows before they are grouped, and then takes the answer for a part',
    applies: (asked, theirs, ours) => asked.query.includes('count()') && hasSameRows(asked, theirs, ours),
  },
  {
    name: 'the total beside a page of a relation that chooses the rows',
    reason: 'PostgREST counts those too whose related rows are all on other pages, and does not show them',
    applies: (asked, theirs, ours) =>
      /\w\.(offset|limit)=/.test(asked.query) && hasSameRows(asked, theirs, ours),
  },
  {
    name: 'the presence of a relation that only has aggregates',
    reason:
      'PostgREST always finds it there: an aggregate of no rows is a row. Here it is whether there are rows',
    applies: ({ query }, theirs, ours) => asksForAggregates(query) && isAnswered(theirs) && isAnswered(ours),
  },
  {
    name: 'the presence of a relation chooses the rows to write',
    reason: 'PostgREST takes the relation for a column there, or calls its function',
    applies: (asked, theirs, ours) =>
      isWrite(asked) && ['42703', '0A000'].includes(theirs.body.code) && ours.body.code !== theirs.body.code,
  },
  {
    name: 'logic beside a write',
    reason: 'PostgREST 12 chooses by it the rows to write and those to show; 14.4 does not',
    applies: (asked, _, ours) =>
      isWrite(asked) && /[&.](or|and|not\.and)=/.test(asked.query) && isTaken(asked, ours),
  },
  {
    name: 'a page of a relation beside a write',
    reason: 'PostgREST ignores it there',
    applies: (asked, theirs, ours) =>
      isWrite(asked) && /\w\.(offset|limit)=/.test(asked.query) && isAnswered(theirs) && isAnswered(ours),
  },
  {
    name: 'a test of a relation that only columns have',
    reason: 'its code is that of version 14',
    applies: (_, theirs, ours) => theirs.body.code === '42703' && ours.body.code === 'PGRST120',
  },
  {
    name: 'a function of a row whose table a level below shows too',
    reason: 'PostgREST gives the function the name of the table, which Postgres takes for the column below',
    applies: (asked, theirs, ours) => theirs.body.code === '42846' && isTaken(asked, ours),
  },
  {
    name: 'no rows from the second on',
    reason: 'PostgREST knows limit=0 only without an offset',
    applies: ({ query }, theirs) => /&limit=0&offset=[12]/.test(query) && theirs.status === 416,
  },
]
