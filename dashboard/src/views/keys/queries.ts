import { answerOf, api, type Schema } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { keysQuery } from '../../parts/api-keys.ts'
import { readProjectsAgain } from '../../parts/projects.ts'

export type ApiKey = Schema<'ApiKey'>
type ApiKeyIn = Schema<'ApiKeyIn'>
type ApiKeyPatch = Schema<'ApiKeyPatch'>

const readAgain = () =>
  Promise.all([queryClient.invalidateQueries({ queryKey: keysQuery.queryKey }), readProjectsAgain()])

/** Answers the key itself, this once. */
export async function createKey(body: ApiKeyIn): Promise<Schema<'ApiKeyWithSecret'>> {
  const created = await answerOf(api.POST('/api/keys', { body }))
  void readAgain()
  return created
}

export async function changeKey(id: string, body: ApiKeyPatch): Promise<void> {
  const changed = await answerOf(api.PATCH('/api/keys/{id}', { params: { path: { id } }, body }))
  queryClient.setQueryData(keysQuery.queryKey, present => {
    return present && { ...present, data: present.data.map(key => (key.id === id ? changed : key)) }
  })
  void readAgain()
}

/** The old key goes on working for `overlapSeconds`; answers the new one, this once. */
export async function rotateKey(id: string, overlapSeconds: number): Promise<Schema<'ApiKeyWithSecret'>> {
  const rotated = await answerOf(
    api.POST('/api/keys/{id}/rotate', {
      params: { path: { id } },
      body: { overlap_seconds: overlapSeconds },
    }),
  )
  void readAgain()
  return rotated
}

export async function revokeKey(id: string): Promise<void> {
  await answerOf(api.DELETE('/api/keys/{id}', { params: { path: { id } } }))
  void readAgain()
}
