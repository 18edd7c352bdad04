// The credential check of /internal, which is open to everybody.

import { expect, it } from 'vitest'
import { admitIngest, type SignedBytes } from '../../../src/http/ingest-auth.ts'

// The runtime takes such names, and `new URL` throws for them: 500 and a line in the log for everybody who asked.
it.each(['a', 'a b', 'a[', '[::1', 'a:99999'])(
  'checks what was signed under the host name "%s"',
  async host => {
    const signed: SignedBytes[] = []
    const verifyIngest = async (_: Headers, each: SignedBytes) => signed.push(each) > 0
    const url = `http://${host}/internal/row%2Dchanges?a=/?b`
    // No `Request` can be made of such an address here.
    const request = { method: 'POST', url, headers: new Headers(), body: null } as Request
    await admitIngest({ verifyIngest }, request, 1)
    expect(signed).toMatchObject([{ method: 'POST', path: '/internal/row%2Dchanges?a=/?b' }])
  },
)
