// The flows, who takes part in each, and what a client needs for it.

import { DEVICE_GRANT } from '../../../parts/oauth/grants.ts'

export const FLOWS = ['code', 'client_credentials', 'device'] as const
export type Flow = (typeof FLOWS)[number]

export type Party = 'browser' | 'application' | 'device' | 'server' | 'bridge' | 'identity'

interface FlowFacts {
  label: string
  /** The grant type that a client must have. */
  grant: string
  lead: string
  /** From left to right. */
  parties: readonly Party[]
}

export const FLOW_FACTS: Readonly<Record<Flow, FlowFacts>> = {
  code: {
    label: 'Authorization code + PKCE',
    grant: 'authorization_code',
    lead: 'A person signs in with a browser. For web pages, mobile and desktop applications, and servers with users.',
    parties: ['browser', 'application', 'server', 'bridge', 'identity'],
  },
  client_credentials: {
    label: 'Client credentials',
    grant: 'client_credentials',
    lead: 'A server gets a token for itself; no person takes part. For jobs, and for services that call each other.',
    parties: ['application', 'server', 'bridge'],
  },
  device: {
    label: 'Device authorization',
    grant: DEVICE_GRANT,
    lead: 'A device without a keyboard shows a code, which a person types in elsewhere. For televisions, terminals.',
    parties: ['device', 'browser', 'server', 'bridge', 'identity'],
  },
}

/** Who sends the requests: this page plays that part. */
export function senderOf(flow: Flow): Party {
  return flow === 'device' ? 'device' : 'application'
}
