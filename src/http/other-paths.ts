// Where a path that nobody serves leads: people who know a system of the same kind try its paths first.

const DATA_API =
  'Tables are at /v1/db/<table>, functions at /v1/db/rpc/<function>, SQL is at /v1/sql; supabase-js finds tables and ' +
  'functions under /rest/v1.'
const NO_FUNCTIONS =
  'There are no edge functions here. Put the work into a function of Postgres (/rest/v1/rpc/<function>), or serve it ' +
  'yourself and let a webhook call it.'
const SIGN_IN =
  'Applications sign people in at the OAuth2 server (OpenID Connect), and supabase-js takes their access token by ' +
  'its option accessToken. Accounts are at /v1/auth/identities.'

/** Paths of Supabase and PostgREST, and what is guessed for want of them, without the slash before. */
const OTHER_PATHS: readonly (readonly [RegExp, string])[] = [
  [/^(rest|graphql)\b/, DATA_API],
  [/^functions\b/, NO_FUNCTIONS],
  [/^v1\/(tables?|rest|rpc)\b/, DATA_API],
  [/^v1\/db\/?$/, DATA_API],
  [/^auth\b/, SIGN_IN],
  [/^v1\/(login|signup|users?)\b/, SIGN_IN],
]

/** What stands here in place of a path that is not served, if it is known: clients such as auth-js show no hint. */
export function insteadOf(path: string): string | undefined {
  return OTHER_PATHS.find(([pattern]) => pattern.test(path.slice(1)))?.[1]
}
