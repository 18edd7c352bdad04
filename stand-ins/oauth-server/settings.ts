// What the local OAuth2 server is told, by its environment when it runs as a process or by an object when a test starts
// it. All lifespans are here, with Hydra's own defaults. Reads no environment by itself.

import * as z from 'zod'
import { Port, Secret } from '../service/settings.ts'

const HttpUrl = z.url({ protocol: /^https?$/ })
const Seconds = z.number().int().positive()

const MINUTE = 60
const HOUR = 60 * MINUTE

/** Lifespans in seconds; those of tokens may be overruled by a client's own. */
const TtlSeconds = z.object({
  accessToken: Seconds.default(HOUR),
  refreshToken: Seconds.default(720 * HOUR),
  idToken: Seconds.default(HOUR),
  authorizationCode: Seconds.default(10 * MINUTE),
  /** How long a browser may take for the login, and again for the consent. */
  loginConsentRequest: Seconds.default(30 * MINUTE),
  /** Of a device code and its user code. */
  deviceUserCode: Seconds.default(10 * MINUTE),
  /** How often a device may ask. */
  devicePollingInterval: Seconds.default(5),
  /** Of a login session that was remembered "for as long as the server likes". */
  authenticationSession: Seconds.default(720 * HOUR),
  pageToken: Seconds.default(HOUR),
})

/**
 * The names are those of the variables `OAUTH_SERVER_*` (service/settings.ts). Pages that are not given are fallbacks
 * of the server.
 */
export const OAuthServerSettings = z.object({
  /** A database of its own; the tables are made at the start. */
  databaseUrl: z.string().min(1),
  /** 0 takes a free one. */
  publicPort: Port,
  adminPort: Port,
  /** The issuer, without a slash at the end: how browsers and applications reach the public port. */
  publicUrl: HttpUrl.optional(),
  loginUrl: HttpUrl.optional(),
  consentUrl: HttpUrl.optional(),
  logoutUrl: HttpUrl.optional(),
  errorUrl: HttpUrl.optional(),
  deviceVerificationUrl: HttpUrl.optional(),
  deviceSuccessUrl: HttpUrl.optional(),
  postLogoutRedirectUrl: HttpUrl.optional(),
  /** Whether anybody may register a client at the public port. */
  dynamicRegistration: z
    .stringbool({ truthy: ['true'], falsy: ['false'] })
    .or(z.boolean())
    .default(false),
  /** Encrypts private keys in the database and seals what travels: with another one the old keys are lost. */
  systemSecret: Secret,
  /** Without it, or with another one, the subjects of pairwise clients change. */
  pairwiseSalt: z.string().min(8),
  /** Of the RSA keys that the server makes; tests take smaller ones to save time. */
  rsaKeyBits: z.number().int().min(2048).default(4096),
  ttlSeconds: TtlSeconds.prefault({}),
})
export type OAuthServerSettings = z.infer<typeof OAuthServerSettings>
/** What may be left out is left to the defaults. */
export type OAuthServerSettingsIn = z.input<typeof OAuthServerSettings>
