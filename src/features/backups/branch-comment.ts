// A branch beside an ordinary Postgres is a database with a comment that says of what. The command line writes it, the
// Worker reads it. Pure.

import * as z from 'zod'

const PREFIX = 'Quoin branch: '

export const BranchComment = z.object({
  name: z.string(),
  parent: z.string(),
  state: z.enum(['creating', 'ready']),
  created_at: z.iso.datetime(),
  /** The backup that it was made of. */
  backup_id: z.string(),
})
export type BranchComment = z.infer<typeof BranchComment>

export function writeBranchComment(comment: BranchComment): string {
  return PREFIX + JSON.stringify(comment)
}

/** What the comment of a database says; undefined for one that is no branch. */
export function readBranchComment(text: string): BranchComment | undefined {
  if (!text.startsWith(PREFIX)) return undefined
  try {
    return BranchComment.parse(JSON.parse(text.slice(PREFIX.length)))
  } catch {
    return undefined
  }
}

/**
 * SQL: whether somebody is connected to the database of this oid. Whoever makes a branch is, throughout: one that is
 * `creating` with nobody connected was cut off. Vacuum's own workers have no user.
 */
export const isConnectedSql = (oid: string): string =>
  `exists (select from pg_stat_activity where datid = ${oid} and usesysid is not null)`
