// Backups and branches of the database. They are made by commands, not by endpoints.

import { listBackups } from '../features/backups/list-backups.ts'
import { listBranches } from '../features/backups/list-branches.ts'
import { BackupList, BranchList } from '../features/backups/schemas.ts'
import { defineRoute } from '../http/route.ts'
import { NoQuery } from '../lib/no-query.ts'

export const backupRoutes = [
  defineRoute({
    id: 'backups.list',
    method: 'get',
    mounts: { '/v1/backups': 'service_role', '/api/backups': 'admin' },
    summary: 'List backups, newest first',
    description:
      '`npm run backup` makes one, and `npm run backup:verify` proves it by a restore. The newest 1 000 are listed. ' +
      'With NEON_API_KEY and NEON_PROJECT_ID these are the snapshots of Neon’s project.',
    query: NoQuery,
    response: BackupList,
    handle: ({ deps }) => listBackups(deps),
  }),
  defineRoute({
    id: 'branches.list',
    method: 'get',
    mounts: { '/v1/branches': 'service_role', '/api/branches': 'admin' },
    summary: 'List the database and its branches',
    description:
      '`npm run branch` makes one, beside this database and of its newest backup. With NEON_API_KEY and ' +
      'NEON_PROJECT_ID these are the branches of Neon’s project.',
    query: NoQuery,
    response: BranchList,
    handle: ({ deps }) => listBranches(deps),
  }),
]
