// Cross-origin answers of the public port, as Hydra gives them with `serve.public.cors` on and pages of this machine
// allowed, whatever their port. Only where Hydra has them: not where browsers are sent, nor for devices.

import * as service from '../../service/cors.ts'

const LOOPBACK_ORIGIN = /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/

/** Lets pages of this machine read what the routes behind it answer. */
export const cors = service.cors({
  allow: origin => (LOOPBACK_ORIGIN.test(origin) ? origin : undefined),
  headers: [
    ...['accept', 'accept-language', 'authorization'],
    ...['content-language', 'content-length', 'content-type'],
  ],
  exposed: 'Cache-Control, Expires, Last-Modified, Pragma, Content-Length, Content-Language, Content-Type',
})
