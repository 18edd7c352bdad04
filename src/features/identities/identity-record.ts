// From what the identity provider says to the records that callers see: named fields only, so that nothing which the
// provider may add one day (credentials above all) goes out by itself. Pure.

import type { AdminIdentity, ListedSession } from '../../clients/identity-admin.ts'
import type { Identity, IdentitySession } from './schemas.ts'

/** The record of an identity. */
export function toIdentity(identity: AdminIdentity): Identity {
  return {
    id: identity.id,
    schema_id: identity.schema_id,
    state: identity.state ?? 'active',
    traits: identity.traits,
    verifiable_addresses: identity.verifiable_addresses.map(({ value, verified, via }) => ({
      value,
      via: textOrNull(via),
      verified,
    })),
    recovery_addresses: identity.recovery_addresses.map(({ value, via }) => ({
      value,
      via: textOrNull(via),
    })),
    metadata_public: identity.metadata_public,
    metadata_admin: identity.metadata_admin ?? null,
    created_at: identity.created_at ?? null,
    updated_at: identity.updated_at ?? null,
  }
}

/** The record of a session. */
export function toIdentitySession(session: ListedSession): IdentitySession {
  return {
    id: session.id,
    authenticated_at: session.authenticated_at ?? null,
    expires_at: session.expires_at ?? null,
    authenticator_assurance_level: session.authenticator_assurance_level ?? null,
    authentication_methods: session.authentication_methods.flatMap(({ method }) => method ?? []),
    devices: session.devices.map(device => ({
      ip_address: device.ip_address === undefined ? null : withoutPort(device.ip_address),
      user_agent: textOrNull(device.user_agent),
      location: textOrNull(device.location),
    })),
  }
}

/** The provider notes the address with the port of that one connection, which says nothing about the device. */
function withoutPort(address: string): string {
  const [, ipv4, ipv6] = address.match(/^(?:([\d.]+)|\[([\da-f:.]+)\]):\d+$/i) ?? []
  return ipv4 ?? ipv6 ?? address
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
