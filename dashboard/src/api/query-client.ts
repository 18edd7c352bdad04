// How server data is kept: what is there stays while it is read again, and what may pass is tried again.

import { QueryClient } from '@tanstack/react-query'
import { apiEvents } from './client.ts'
import { isPassing } from './errors.ts'
import { sessionHasEnded } from './session.ts'

const RETRY_DELAY_MAX_MS = 10_000

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Until the server is there again; a view says meanwhile that it is not.
      retry: (_, err) => isPassing(err),
      retryDelay: attempt => Math.min(1_000 * 2 ** attempt, RETRY_DELAY_MAX_MS),
      // The browser's own notion of "offline" says nothing of a server on this machine.
      networkMode: 'always',
    },
    // What changes something is sent once: nobody knows what became of the first.
    // Their secrets are gone as soon as nobody shows what came of them.
    mutations: { retry: false, networkMode: 'always', gcTime: 1_000 },
  },
})

// It may have ended in the middle of the work.
apiEvents.addEventListener('no-session', () => sessionHasEnded(queryClient))
