// What the stack prints when it is ready: addresses, keys, three lines to paste, and where to go on.

import type { StackFacts } from '../cli/support/dev-file.ts'

export interface Greeting {
  readonly facts: StackFacts
  readonly dataDir: string
  readonly resetCommand: string
  readonly hasDemonstration: boolean
  readonly seconds: string
}

export function greetingLines({
  facts,
  dataDir,
  resetCommand,
  hasDemonstration,
  seconds,
}: Greeting): string[] {
  const postgres =
    facts.postgres_port === null ? 'elsewhere (DATABASE_URL)' : `127.0.0.1:${facts.postgres_port}`
  return [
    '',
    `Quoin is ready, after ${seconds} s.`,
    '',
    ...(facts.pids['dashboard'] === undefined ? [] : [`  Dashboard          ${facts.dashboard_url}`]),
    `  API                ${facts.base_url}/v1      reference: ${facts.base_url}/docs`,
    `  Postgres           ${postgres}`,
    ...(facts.sql_gateway_url === null ? [] : [`  SQL gateway        ${facts.sql_gateway_url}`]),
    ...serverLines(facts),
    `  anon key           ${facts.anon_key}`,
    `  service_role key   ${facts.service_role_key}`,
    ...peopleLines(facts),
    '',
    'Three calls that work as they are:',
    '',
    ...curlLines(facts, hasDemonstration),
    '',
    `The same facts for scripts: ${dataDir}/dev.json. Logs: ${dataDir}/logs. Data survives a restart;`,
    `\`${resetCommand}\` starts over. Ctrl-C ends everything.`,
    'Next: "A table of your own" in README.md. A file in migrations/ is applied when you say so, not by itself.',
  ]
}

function serverLines(facts: StackFacts): string[] {
  const { oauth_public_url: oauth, identity_public_url: identity, permission_read_url: permissions } = facts
  return [
    ...(oauth === null ? [] : [`  OAuth2 server      ${oauth}      admin API: ${facts.oauth_admin_url}`]),
    ...(identity === null
      ? []
      : [`  identity provider  ${identity}      admin API: ${facts.identity_admin_url}`]),
    ...(permissions === null
      ? []
      : [`  permissions        ${permissions} (read)  write: ${facts.permission_write_url}`]),
  ]
}

function peopleLines(facts: StackFacts): string[] {
  if (facts.admin_email === null) return []
  return [
    `  administrator      ${facts.admin_email}   password ${facts.admin_password}`,
    `  user               ${facts.user_email}   password ${facts.user_password}`,
  ]
}

/** Single lines for sh: the last word is quoted so that it can be pasted as it is. */
export function curlLines(facts: StackFacts, hasDemonstration: boolean): string[] {
  const { base_url: url, anon_key: anon, service_role_key: serviceRole } = facts
  const json = "-H 'content-type: application/json'"
  const sql = hasDemonstration
    ? 'select owner_id, count(*) from todos group by 1'
    : 'select current_user, version()'
  const ask = `curl -s '${url}/v1/sql' -H 'apikey: ${serviceRole}' ${json} -d '{"sql":"${sql}"}'`
  if (!hasDemonstration) {
    return [
      `curl -s '${url}/v1/status' -H 'apikey: ${serviceRole}'`,
      `curl -s '${url}/v1/modules' -H 'apikey: ${serviceRole}'`,
      ask,
    ]
  }
  return [
    `curl -s '${url}/v1/db/todos' -H 'apikey: ${anon}' ${json} -d '{"title":"Written with curl"}'`,
    `curl -s '${url}/v1/db/todos?select=id,title,done&done=is.false&order=id.desc' -H 'apikey: ${anon}'`,
    ask,
  ]
}
