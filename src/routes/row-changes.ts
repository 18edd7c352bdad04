// What the listener found in the outbox.

import * as z from 'zod'
import { enqueueRowChanges } from '../features/row-changes/ingest/enqueue.ts'
import {
  INGEST_BYTES_MAX,
  INGEST_PATH,
  INGEST_VALUES_MAX,
  RowChangesIn,
} from '../features/row-changes/ingest/messages.ts'
import { defineRoute } from '../http/route.ts'

export const rowChangeRoutes = [
  defineRoute({
    id: 'row_changes.ingest',
    method: 'post',
    mounts: { [INGEST_PATH]: 'internal' },
    summary: 'Take row changes from the listener',
    description: '202 once every message is on the queue. docs/design/row-changes.md says what is in them.',
    body: RowChangesIn,
    bodyBytesMax: INGEST_BYTES_MAX,
    bodyValuesMax: INGEST_VALUES_MAX,
    response: z.object({ queued: z.int() }),
    status: 202,
    handle: ({ deps, body }) => enqueueRowChanges(deps, body),
  }),
]
