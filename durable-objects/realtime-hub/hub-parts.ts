// What the parts of a hub share: made once for the object.

import type { Config } from '../../src/config.ts'
import type { DataDatabase, PlatformDatabase } from '../../src/db/database.ts'
import type { KeyLimiters } from '../../src/features/api-keys/limit/key-limiter.ts'
import type { EndUser } from '../../src/features/oauth/end-user/access-token.ts'
import type { RateCounter } from '../../src/features/realtime/topics/rates.ts'
import type { ChangeFeed } from './change-feed.ts'
import type { ChannelGroups } from './channel-groups.ts'
import type { Channels } from './channels.ts'
import type { DeliveryBudget } from './delivery-budget.ts'
import type { HubStorage } from './hub-storage.ts'
import type { Members } from './members.ts'

export interface HubParts {
  readonly config: Config
  readonly data: Pick<DataDatabase, 'batch'>
  readonly platform: Pick<PlatformDatabase, 'query' | 'texts' | 'transaction'>
  readonly limiters: KeyLimiters
  readonly verifyAccessToken: (token: string) => Promise<EndUser>
  /** Whether a session of the identity provider still counts. Throws where that cannot be asked. */
  readonly isSessionActive: (sessionId: string) => Promise<boolean>
  readonly nowMs: () => number
  readonly members: Members
  readonly groups: ChannelGroups
  readonly channels: Channels
  readonly storage: HubStorage
  readonly feed: ChangeFeed
  readonly budget: DeliveryBudget
  readonly rates: RateCounter
  /** The same for bytes. */
  readonly byteRates: RateCounter
  /** Whose connections to the database the hub takes. */
  readonly share: string
}
