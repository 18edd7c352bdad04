// The bytes of files by themselves, for who keeps backups. Files with their names are in `storage-objects.ts`.

import {
  BLOB_CHECK_EXAMPLE,
  BlobCheck,
  BlobCheckRequest,
  checkBlobs,
} from '../features/storage/check-blobs.ts'
import { defineRoute } from '../http/route.ts'

export const storageBlobRoutes = [
  defineRoute({
    id: 'storage.check_blobs',
    method: 'post',
    mounts: { '/v1/storage/blobs/check': 'service_role' },
    summary: 'Say which files of a backup are there',
    description:
      '`npm run backup:verify` asks it: rows of a backup name a version of each file, whose bytes are not in the ' +
      'backup. Looks for up to 100 by version, size and ETag, and reads no bytes. A file that no row names any more ' +
      'is found until STORAGE_RETENTION has passed.',
    body: BlobCheckRequest,
    example: BLOB_CHECK_EXAMPLE,
    response: BlobCheck,
    unaudited: 'no_change',
    handle: ({ deps, body }) => checkBlobs(deps, body),
  }),
]
