import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../../../api/client.ts'

/** A backup that runs is looked at until it has ended. */
const RUNNING_INTERVAL_MS = 3_000

export const backupsQuery = queryOptions({
  queryKey: ['backups'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/backups', { signal })),
  refetchInterval: ({ state }) =>
    state.data?.data.some(({ status }) => status === 'running') ? RUNNING_INTERVAL_MS : false,
})

export const branchesQuery = queryOptions({
  queryKey: ['branches'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/branches', { signal })),
})
