// The judge of the chaos test sees each kind of failure: else a green run would say nothing.

import { expect, it } from 'vitest'
import { judge, type Receipt } from './verdict.ts'

const commits = [
  { name: 'INSERT 1', keys: [1] },
  { name: 'INSERT 2', keys: [2] },
  { name: 'UPDATE 3', keys: [1] },
  { name: 'UPDATE 4', keys: [2, 9] },
]
const receipts: Receipt[] = commits.map(commit => ({ ...commit, webhookId: `id of ${commit.name}` }))
const [first, second, third, fourth] = receipts as [Receipt, Receipt, Receipt, Receipt]
const clean = { lost: [], invented: [], reordered: [], misnamed: [] }

it('finds nothing where keys pass each other and a request is repeated at once', () => {
  expect(judge(commits, [second, first, first, fourth, third])).toEqual(clean)
})

it('finds what was committed and did not come', () => {
  expect(judge(commits, [first, second, third])).toEqual({ ...clean, lost: ['UPDATE 4'] })
})

it('finds what came and was not committed', () => {
  const stranger = { name: 'UPDATE 5', keys: [1], webhookId: 'another id' }
  expect(judge(commits, [...receipts, stranger])).toEqual({ ...clean, invented: ['UPDATE 5'] })
})

it('finds what came after a later change of its key, a repeat too', () => {
  const reordered = ['key 1: INSERT 1 after UPDATE 3']
  expect(judge(commits, [...receipts, first])).toEqual({ ...clean, reordered })
  expect(judge(commits, [second, third, first, fourth])).toEqual({ ...clean, reordered })
})

it('finds a change under two ids and an id with two changes', () => {
  const renamed = { ...fourth, webhookId: 'another id' }
  expect(judge(commits, [...receipts, renamed]).misnamed).toEqual(['UPDATE 4 as another id'])
  const reused = { ...fourth, webhookId: third.webhookId }
  expect(judge(commits, [first, second, third, reused]).misnamed).toEqual([`UPDATE 4 as ${third.webhookId}`])
})
