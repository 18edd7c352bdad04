import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../../api/client.ts'
import { type StepName, stepsDone, TUPLES_ASKED } from './steps.ts'

/** Which steps are done; those that only an administrator can see are left out for others. */
export function stepsQuery(isAdmin: boolean) {
  return queryOptions({
    queryKey: ['first-steps', isAdmin],
    queryFn: async ({ signal }): Promise<Partial<Record<StepName, boolean>>> => {
      const one = { limit: 1 }
      const [clients, webhooks, tuples, tables, keys] = await Promise.all([
        answerOf(api.GET('/api/oauthsrv/clients', { params: { query: { page_size: 1 } }, signal })),
        answerOf(api.GET('/api/webhooks', { params: { query: one }, signal })),
        answerOf(api.GET('/api/permsrv/tuples', { params: { query: { limit: TUPLES_ASKED } }, signal })),
        isAdmin ? answerOf(api.GET('/api/database/tables', { signal })) : undefined,
        isAdmin ? answerOf(api.GET('/api/keys', { params: { query: { limit: 1_000 } }, signal })) : undefined,
      ])
      const { table, key, ...others } = stepsDone({
        tables: tables?.tables ?? [],
        keys: keys?.data ?? [],
        clients: clients.length,
        webhooks: webhooks.data.length,
        tuples: tuples.data,
      })
      return isAdmin ? { table, key, ...others } : others
    },
    refetchInterval: 30_000,
  })
}
