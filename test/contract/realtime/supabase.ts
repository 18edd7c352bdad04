// supabase-js as it is, as tests drive it.

import {
  createClient,
  type RealtimeChannel,
  type SupabaseClient,
  type SupabaseClientOptions,
} from '@supabase/supabase-js'
import { inject } from 'vitest'
import { makeKey } from '../../support/keys.ts'

type Options = Pick<SupabaseClientOptions<'public'>, 'accessToken' | 'realtime'>

/** Keys of the two roles that no limiter stops, and clients that end together. */
export async function supabaseClients() {
  const roomy = { rateLimitPerMinute: 1_000_000 }
  const [anon, service] = await Promise.all([makeKey('anon', roomy), makeKey('service_role', roomy)])
  const clients: SupabaseClient[] = []

  /** A client with a socket of its own. */
  function newClient(options: Options = {}, key = anon.key): SupabaseClient {
    const client = createClient(inject('stack').base_url, key, options)
    clients.push(client)
    return client
  }
  return {
    anonKey: anon.key,
    newClient,
    newService: () => newClient({}, service.key),
    /** Of somebody who is signed in. Such a client knows its token only a moment after it was made. */
    async signedIn(token: string): Promise<SupabaseClient> {
      const client = newClient({ accessToken: async () => token })
      await client.realtime.setAuth()
      return client
    },
    async end(): Promise<void> {
      await Promise.all(clients.map(client => client.removeAllChannels()))
      await Promise.all(clients.map(client => client.realtime.disconnect()))
    },
  }
}

/** Every status of the channel, once the first came. Rejects unless that is SUBSCRIBED. */
export async function joined(channel: RealtimeChannel): Promise<string[]> {
  const statuses: string[] = []
  await new Promise<void>((resolve, reject) =>
    channel.subscribe((status, err) => {
      statuses.push(status)
      if (status === 'SUBSCRIBED') resolve()
      else reject(new Error(`${status} ${err?.message}`))
    }),
  )
  return statuses
}
