import { useEffect, useRef, useState } from 'react'
import { toasts } from '../../../parts/toasts.ts'
import type { Flow } from './flows.ts'
import { type CreatedClient, createTestClient, removeTestClient } from './queries.ts'

/** The clients that this page has made, with their secrets, which are here alone. They go when the page is left. */
export function useTestClients() {
  const [made, setMade] = useState<readonly CreatedClient[]>([])
  const latest = useRef(made)
  useEffect(() => {
    latest.current = made
  }, [made])

  useEffect(() => {
    const leave = () => {
      for (const { client_id: id } of latest.current) void removeOnLeaving(id)
      latest.current = []
    }
    // Best effort: what is left when a tab is closed is offered for removal at the next visit.
    addEventListener('pagehide', leave)
    return () => {
      removeEventListener('pagehide', leave)
      leave()
    }
  }, [])

  return {
    made,
    make: async (flow: Flow): Promise<string> => {
      const client = await createTestClient(flow)
      setMade(clients => [...clients, client])
      return client.client_id
    },
    remove: async (id: string): Promise<void> => {
      await removeTestClient(id)
      setMade(clients => clients.filter(client => client.client_id !== id))
    },
  }
}

async function removeOnLeaving(id: string): Promise<void> {
  try {
    await removeTestClient(id)
  } catch (err) {
    const why = err instanceof Error ? err.message : String(err)
    toasts.add({
      title: 'The test client stays',
      description: `${id} could not be removed: ${why}`,
      variant: 'error',
    })
  }
}
