import { expect, it } from 'vitest'
import { projectionOf } from '../../../src/features/billing/read-billing.ts'

const at = (day: string) => new Date(`2026-01-${day}:00Z`)
const END = new Date('2026-02-01T00:00:00Z')

it('goes on as since the first request, to the end of the month', () => {
  expect(projectionOf(1_000, at('01T00:00'), at('11T00:00'), END)).toEqual({
    requests: 3_100,
    estimated: true,
  })
  expect(projectionOf(1_000, at('21T00:00'), at('31T00:00'), END)).toEqual({
    requests: 1_100,
    estimated: true,
  })
})

it('is not there with less than a day to go by', () => {
  expect(projectionOf(1_000, at('10T00:00'), at('11T00:59'), END)).toBeNull()
})
