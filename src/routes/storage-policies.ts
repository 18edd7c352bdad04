// What policies say of files, for the dashboard.

import { readStoragePolicies, StoragePolicies } from '../features/storage/policies.ts'
import { defineRoute } from '../http/route.ts'
import { NoQuery } from '../lib/no-query.ts'

export const storagePolicyRoutes = [
  defineRoute({
    id: 'storage.policies',
    method: 'get',
    mounts: { '/api/storage/policies': 'admin' },
    summary: 'Policies of buckets and objects, and what anon reaches by them',
    description: 'As `/v1/database/tables` has it of tables that are served; these two are not.',
    query: NoQuery,
    response: StoragePolicies,
    handle: ({ deps }) => readStoragePolicies(deps),
  }),
]
