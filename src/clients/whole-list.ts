// A list of an outside server, read to its end: in pages as large as they fit into one answer, and no more in all than
// an isolate can hold.

import { DomainError } from '../errors.ts'

/** What one answer of a list held. */
export interface ListPage<Item> {
  items: Item[]
  /** Undefined on the last page. */
  nextPageToken: string | undefined
  /** Characters of the answer's text. */
  length: number
}

export interface WholeListBounds {
  pageSizeMax: number
  itemsMax: number
}

/** Of all answers together. What is kept of them, and the answer that is made of it, are about as large each. */
export const LIST_MIB_MAX = 24
const LIST_LENGTH_MAX = LIST_MIB_MAX * 1024 * 1024

/** A server whose pages never end, or hold next to nothing. */
export const LIST_CALLS_MAX = 200

/**
 * All items of a list; undefined when they are more than the bounds allow. A page whose answer is too large is asked
 * for with half its size: tokens hold for pages of any size. Throws what `read` throws otherwise.
 */
export async function readWholeList<Item>(
  read: (page: { size: number; token: string | undefined }) => Promise<ListPage<Item>>,
  { pageSizeMax, itemsMax }: WholeListBounds,
): Promise<Item[] | undefined> {
  const items: Item[] = []
  let [size, token, length]: [number, string | undefined, number] = [pageSizeMax, undefined, 0]
  for (let calls = 0; calls < LIST_CALLS_MAX; calls++) {
    if (items.length >= itemsMax || length >= LIST_LENGTH_MAX) break
    let page: ListPage<Item>
    try {
      page = await read({ size, token })
    } catch (err) {
      if (size === 1 || !(err instanceof DomainError) || err.code !== 'upstream_answer_too_large') throw err
      size = Math.floor(size / 2)
      continue
    }
    items.push(...page.items)
    length += page.length
    token = page.nextPageToken
    if (token === undefined) return items
  }
  return undefined
}
