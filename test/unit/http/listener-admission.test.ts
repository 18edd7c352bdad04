// The credential check of /internal, which is open to everybody.

import { expect, it } from 'vitest'
import type { Arrival } from '../../../src/http/admission/arrival.ts'
import { admitListener, type SignedBytes } from '../../../src/http/admission/listener.ts'

// The runtime takes such names, and `new URL` throws for them: 500 and a line in the log for everybody who asked.
it.each(['a', 'a b', 'a[', '[::1', 'a:99999'])(
  'checks what was signed under the host name "%s"',
  async host => {
    const signed: SignedBytes[] = []
    const verifyIngest = async (_: Headers, each: SignedBytes) => signed.push(each) > 0
    const url = `http://${host}/internal/row%2Dchanges?a=/?b`
    // No `Request` can be made of such an address here.
    const request = { method: 'POST', url, headers: new Headers(), body: null } as Request
    const arrival: Arrival = {
      request,
      address: null,
      countedAs: 'api',
      bodyBytesMax: 1,
      rateLimit: undefined,
      waitUntil: () => {},
      takesBasicAuth: false,
      takesKeyInQuery: false,
      signedBody: undefined,
    }
    await admitListener({ verifyIngest }, arrival)
    expect(arrival.signedBody).toEqual(new Uint8Array())
    expect(signed).toMatchObject([{ method: 'POST', path: '/internal/row%2Dchanges?a=/?b' }])
  },
)
