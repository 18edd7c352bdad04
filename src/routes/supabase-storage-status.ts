// Whether Supabase's storage is there, and which version of it, as its clients ask.

import { defineRoute } from '../http/route.ts'
import { VERSION } from '../lib/version.ts'

export const supabaseStatusRoutes = [
  defineRoute({
    id: 'storage.supabase_status',
    method: 'get',
    mounts: { '/storage/v1/status': 'public' },
    summary: 'For clients that look whether storage is there',
    handle: async () => ({ status: 200, headers: {}, body: null }),
  }),
  defineRoute({
    id: 'storage.supabase_version',
    method: 'get',
    mounts: { '/storage/v1/version': 'public' },
    summary: 'Which version of Quoin answers',
    handle: async () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: VERSION }),
  }),
]
