// The standard claims that each scope stands for (OpenID Connect Core 5.1 and 5.4), read from an identity's traits.
// Pure. The OAuth2 server filters nothing: what is put in here is what ID token and userinfo show.

import type { Identity } from '../../../clients/identity.ts'

type Claims = Record<string, unknown>

/** The standard claims of an identity for the granted scopes; one whose trait is missing or empty is left out. */
export function standardClaims(identity: Identity, grantedScopes: readonly string[]): Claims {
  const claims: Claims = {}
  for (const [scope, claimsOf] of Object.entries(CLAIMS_BY_SCOPE)) {
    if (grantedScopes.includes(scope)) Object.assign(claims, claimsOf(identity))
  }
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
}

const CLAIMS_BY_SCOPE: Record<string, (identity: Identity) => Claims> = {
  profile: profileClaims,
  email: emailClaims,
  phone: phoneClaims,
  address: ({ traits }) => ({ address: addressClaim(traits['address']) }),
}

/** Claims of `profile` that are a trait of the same name. */
const PLAIN_PROFILE_CLAIMS = [
  'middle_name',
  'nickname',
  'profile',
  'picture',
  'website',
  'gender',
  'birthdate',
  'zoneinfo',
  'locale',
]

function profileClaims({ traits, updated_at }: Identity): Claims {
  const parts = objectOf(traits['name'])
  const givenName = text(traits['given_name']) ?? text(parts['first']) ?? text(traits['first_name'])
  const familyName = text(traits['family_name']) ?? text(parts['last']) ?? text(traits['last_name'])
  const wholeName = [givenName, familyName].filter(part => part !== undefined).join(' ')
  return {
    name: text(traits['name']) ?? text(wholeName),
    given_name: givenName,
    family_name: familyName,
    preferred_username: text(traits['preferred_username']) ?? text(traits['username']),
    ...Object.fromEntries(PLAIN_PROFILE_CLAIMS.map(name => [name, text(traits[name])])),
    updated_at: unixSeconds(updated_at),
  }
}

function emailClaims(identity: Identity): Claims {
  const email = text(identity.traits['email'])
  return email === undefined ? {} : { email, email_verified: isVerified(identity, email) }
}

function phoneClaims(identity: Identity): Claims {
  const phone = text(identity.traits['phone_number']) ?? text(identity.traits['phone'])
  return phone === undefined
    ? {}
    : { phone_number: phone, phone_number_verified: isVerified(identity, phone) }
}

/** The identity provider writes addresses in lower case, whatever the trait says. */
function isVerified({ verifiable_addresses }: Identity, value: string): boolean {
  return verifiable_addresses.some(
    address => address.verified && address.value.toLowerCase() === value.trim().toLowerCase(),
  )
}

const ADDRESS_MEMBERS = ['formatted', 'street_address', 'locality', 'region', 'postal_code', 'country']

function addressClaim(trait: unknown): Claims | undefined {
  if (typeof trait === 'string') return text(trait) === undefined ? undefined : { formatted: trait }
  const members = objectOf(trait)
  const claims = ADDRESS_MEMBERS.flatMap(name => {
    const value = text(members[name])
    return value === undefined ? [] : [[name, value]]
  })
  return claims.length === 0 ? undefined : Object.fromEntries(claims)
}

function objectOf(value: unknown): Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Claims) : {}
}

/** A text that says something. */
function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function unixSeconds(time: unknown): number | undefined {
  const milliseconds = typeof time === 'string' ? Date.parse(time) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1_000)
}
