import { Link } from '@cloudflare/kumo'
import type { Schema } from '../../api/client.ts'
import { Fact, Facts, None } from '../../parts/facts.tsx'
import { State } from '../../parts/state.tsx'

const UNKNOWN = <None>not known</None>
/** Of what the server counts no further. */
const COUNTED_MAX = 1_000

export function RowChangeFacts({ of: webhooks }: { of: Schema<'PlatformStatus'>['webhooks'] }) {
  const { oldest_waiting_seconds: waiting, unrecorded_tables: unrecorded } = webhooks
  const isKnown = webhooks.listener_connected !== null
  return (
    <Facts>
      <Fact label="Listener">
        {webhooks.listener_connected === null ? (
          UNKNOWN
        ) : (
          <State tone={webhooks.listener_connected ? 'good' : 'attention'}>
            {webhooks.listener_connected ? 'Connected' : 'Not connected: changes wait in the outbox'}
          </State>
        )}
      </Fact>
      <Fact label="Longest wait in the outbox">
        {!isKnown ? UNKNOWN : waiting === null ? 'nothing waiting' : `${waiting.toLocaleString('en')} s`}
      </Fact>
      <Fact label="Tables not recorded">
        {unrecorded === null ? UNKNOWN : unrecorded.length === 0 ? <None /> : unrecorded.join(', ')}
      </Fact>
      <Fact label="Dead letters" help="Events that were given up">
        {webhooks.dead_letters === null ? UNKNOWN : counted(webhooks.dead_letters)}{' '}
        {webhooks.dead_letters ? <Link href="/webhooks">Open webhooks</Link> : null}
      </Fact>
      <Fact label="Messages not handled" help="Their changes are sent again; the Worker’s log has the cause">
        {webhooks.unhandled_messages === null ? UNKNOWN : counted(webhooks.unhandled_messages)}
      </Fact>
    </Facts>
  )
}

function counted(count: number): string {
  return count >= COUNTED_MAX ? `${COUNTED_MAX.toLocaleString('en')} or more` : count.toString()
}
