// The SQL on `quoin.claims_config`, whose one row migration 0003 made.

import type { PlatformDatabase } from '../../../db/database.ts'
import type { ClaimsConfig, ClaimsConfigPatch } from './schemas.ts'

/** What the statements here need of the platform's database. */
export interface ClaimsConfigDeps {
  platform: Pick<PlatformDatabase, 'query'>
}

/** The stored configuration; empty as long as nobody has set it. */
export async function readClaimsConfig({ platform }: ClaimsConfigDeps): Promise<ClaimsConfig> {
  const [row] = await platform.query<ClaimsConfig>(
    'select id_token_claims, access_token_claims from quoin.claims_config',
    [],
    'repeatable',
  )
  return row ?? { id_token_claims: {}, access_token_claims: {} }
}

/** Replaces the maps that are given, and answers the whole. Checks nothing. */
export async function writeClaimsConfig(
  { platform }: ClaimsConfigDeps,
  patch: ClaimsConfigPatch,
): Promise<ClaimsConfig> {
  const [row] = await platform.query<ClaimsConfig>(
    `insert into quoin.claims_config as c (id_token_claims, access_token_claims)
     values (coalesce($1::jsonb, '{}'), coalesce($2::jsonb, '{}'))
     on conflict (is_the_only_row) do update
     set id_token_claims = coalesce($1::jsonb, c.id_token_claims),
       access_token_claims = coalesce($2::jsonb, c.access_token_claims), updated_at = now()
     returning id_token_claims, access_token_claims`,
    [toJson(patch.id_token_claims), toJson(patch.access_token_claims)],
  )
  if (row === undefined) throw new Error('an upsert with returning answers its row')
  return row
}

function toJson(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value)
}
