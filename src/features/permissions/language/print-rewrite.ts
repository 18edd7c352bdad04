import type { Rewrite } from './ast.ts'

/** Deeper than any rule that a person can read; a long one of `||` and `&&` in turns nests with each. */
const DEPTH_MAX = 50

/** What a permit follows from, in words: `owner or editor`, `view of parent`, `member and not (banned)`. */
export function printRewrite(rewrite: Rewrite, depth = 0): string {
  if (depth > DEPTH_MAX) return '…'
  switch (rewrite.kind) {
    case 'relation':
      return rewrite.relation
    case 'traverse':
      return `${rewrite.computed} of ${rewrite.relation}`
    case 'not':
      return `not (${printRewrite(rewrite.child, depth + 1)})`
    default:
      if (rewrite.children.length === 0) return 'everybody'
      return rewrite.children
        .map(child => {
          const text = printRewrite(child, depth + 1)
          const isGroup = (child.kind === 'or' || child.kind === 'and') && child.children.length > 1
          return isGroup && child.kind !== rewrite.kind ? `(${text})` : text
        })
        .join(` ${rewrite.kind} `)
  }
}
