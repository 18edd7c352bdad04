// The claims configuration is one for the whole stack. A file that changes it holds it meanwhile, and no other does.

import { connectOwner, type TestClient } from './postgres.ts'

/** Waits until nobody else holds it; to be disposed of when the configuration is as it was. */
export async function holdClaimsConfig(): Promise<TestClient> {
  const client = await connectOwner()
  await client.query("select pg_advisory_lock(hashtext('test: claims configuration'))")
  return client
}
