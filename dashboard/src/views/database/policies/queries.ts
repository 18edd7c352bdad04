import { answerOf, api, type Schema } from '../../../api/client.ts'
import { parseExactly } from '../../../parts/exact-json.ts'

export type Tried = Schema<'TryAsResponse'>
export type TryAs = Schema<'TryAsRequest'>

/** Large numbers stay as Postgres wrote them. */
export async function tryAs(body: TryAs): Promise<Tried> {
  return parseExactly(await answerOf(api.POST('/api/database/try-as', { body, parseAs: 'text' }))) as Tried
}
