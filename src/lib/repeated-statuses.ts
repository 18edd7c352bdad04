/**
 * Statuses after which browsers send the same request again by themselves, whatever its method (Chromium's
 * `HttpNetworkTransaction`): what it changes would be made twice.
 */
export const REPEATED_STATUSES: ReadonlySet<number> = new Set([408, 421, 425])
